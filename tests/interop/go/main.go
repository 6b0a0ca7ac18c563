// SPDX-License-Identifier: Apache-2.0

// A client of etcd's Go library, of go-zookeeper, or of Go's lock libraries for Redis, that is
// driven by lines.
//
// The arguments are the server's URL, whose scheme says which of them it is, and the time in ms for which locks outlive this process: the time to live of its leases or sessions.
package main

import (
	"context"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

func main() {
	lease := 30 * time.Second
	if len(os.Args) > 2 {
		ms, err := strconv.Atoi(os.Args[2])
		if err != nil {
			log.Fatal(err)
		}
		lease = time.Duration(ms) * time.Millisecond
	}
	if hosts, is := strings.CutPrefix(os.Args[1], "zookeeper://"); is {
		guards := &ZookeeperGuards{strings.Split(hosts, ","), lease}
		NewLines(NewVerbs(&Guards{guards.Of})).Serve()
		return
	}
	if address, is := strings.CutPrefix(os.Args[1], "redis://"); is {
		guards, err := NewRedisGuards(address)
		if err != nil {
			log.Fatal(err)
		}
		NewLines(NewVerbs(&Guards{guards.Of})).Serve()
		return
	}
	client, err := clientv3.New(clientv3.Config{
		Endpoints:   strings.Split(strings.TrimPrefix(os.Args[1], "etcd://"), ","),
		DialTimeout: 15 * time.Second,
		Context:     context.Background(),
		Logger:      zap.NewNop(),
	})
	if err != nil {
		log.Fatal(err)
	}
	guards := &EtcdGuards{client, lease}
	verbs := NewVerbs(&Guards{guards.Of})
	addCommands(verbs, client)
	addMeetings(verbs, guards)
	NewLines(verbs).Serve()
}
