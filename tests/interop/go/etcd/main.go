// SPDX-License-Identifier: Apache-2.0

// The server of etcd, of the version that go.mod names, for HOLDFAST_ETCD: Debian's is older.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
