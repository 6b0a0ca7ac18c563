// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// The verbs about elections, numbers and keys.
//
//	leader NAME                 its proposal; empty if there is none
//	proclaim NAME PROPOSAL      by this thread, which leads
//	seen NAME PROPOSAL WAIT     until an observer sees a leader with this proposal
//	get NAME                    a number, in a transaction of concurrency.STM
//	add NAME NUMBER             the number afterwards
//	keys PREFIX                 the keys below it, oldest first, with a space between
//	value KEY                   in hexadecimal
//	lease KEY                   the id of its lease in hexadecimal; 0 if it has none
//	created KEY                 its create_revision
//	delete KEY
func addCommands(verbs *Verbs, client *clientv3.Client) {
	c := commands{client}
	verbs.Add("leader", c.leader)
	verbs.Add("seen", c.seen)
	verbs.Add("get", c.get)
	verbs.Add("add", c.add)
	verbs.Add("keys", c.keys)
	verbs.Add("value", c.of(func(kv *mvccpb.KeyValue) string { return hex.EncodeToString(kv.Value) }))
	verbs.Add("lease", c.of(func(kv *mvccpb.KeyValue) string { return fmt.Sprintf("%x", kv.Lease) }))
	verbs.Add("created", c.of(func(kv *mvccpb.KeyValue) string { return fmt.Sprint(kv.CreateRevision) }))
	verbs.Add("delete", func(_ string, words []string) (string, error) {
		_, err := client.Delete(context.Background(), words[0])
		return "", err
	})
}

func (v *Verbs) proclaim(thread string, words []string) (string, error) {
	v.mutex.Lock()
	guard, there := v.held[place(thread, []string{"Election", words[0]})]
	v.mutex.Unlock()
	if !there {
		return "", errors.New("it does not lead")
	}
	return "", guard.(*election).Proclaim(context.Background(), words[1])
}

type commands struct{ client *clientv3.Client }

// observed runs a call with an election in which this process is no candidate.
func (c commands) observed(name string, call func(*concurrency.Election) error) error {
	session, err := concurrency.NewSession(c.client)
	if err != nil {
		return err
	}
	defer session.Close()
	return call(concurrency.NewElection(session, name))
}

func (c commands) leader(_ string, words []string) (leader string, err error) {
	err = c.observed(words[0], func(e *concurrency.Election) error {
		response, err := e.Leader(context.Background())
		if errors.Is(err, concurrency.ErrElectionNoLeader) {
			return nil
		}
		if err == nil {
			leader = string(response.Kvs[0].Value)
		}
		return err
	})
	return leader, err
}

func (c commands) seen(_ string, words []string) (string, error) {
	return "", c.observed(words[0], func(e *concurrency.Election) error {
		return within(wait(words[2]), func(ctx context.Context) error {
			for response := range e.Observe(ctx) {
				if string(response.Kvs[0].Value) == words[1] {
					return nil
				}
			}
			return errors.New("the observer was told nothing more")
		})
	})
}

func (c commands) get(thread string, words []string) (string, error) {
	return c.add(thread, []string{words[0], "0"})
}

func (c commands) add(_ string, words []string) (string, error) {
	var sum int64
	_, err := concurrency.NewSTM(c.client, func(stm concurrency.STM) error {
		if text := stm.Get(words[0]); text != "" {
			seen, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return err
			}
			sum = seen
		} else {
			sum = 0
		}
		sum += number(words[1])
		stm.Put(words[0], fmt.Sprint(sum))
		return nil
	})
	return fmt.Sprint(sum), err
}

func (c commands) keys(_ string, words []string) (string, error) {
	response, err := c.client.Get(context.Background(), words[0], clientv3.WithPrefix(),
		clientv3.WithSort(clientv3.SortByCreateRevision, clientv3.SortAscend))
	if err != nil {
		return "", err
	}
	var keys []string
	for _, kv := range response.Kvs {
		keys = append(keys, string(kv.Key))
	}
	return strings.Join(keys, " "), nil
}

// of returns the verb that tells something about one key.
func (c commands) of(what func(*mvccpb.KeyValue) string) Verb {
	return func(_ string, words []string) (string, error) {
		response, err := c.client.Get(context.Background(), words[0])
		if err != nil {
			return "", err
		}
		if len(response.Kvs) == 0 {
			return "", fmt.Errorf("there is no key %s", words[0])
		}
		return what(response.Kvs[0]), nil
	}
}
