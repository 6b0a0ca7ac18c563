#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# servers.sh [-- COMMAND...] - a Redis, a ZooKeeper, an etcd, a MariaDB and three more
# Redis for a quorum, on loopback, at free ports, with their files in a temporary folder.
#
# Prints their URLs and waits for Ctrl-C; or runs COMMAND with HOLDFAST_REDIS_URL,
# HOLDFAST_ZOOKEEPER_URL, HOLDFAST_ETCD_URL, HOLDFAST_MYSQL_URL and HOLDFAST_QUORUM_URL in
# its environment. Then all of them are ended and the folder is removed. They are for
# trying things out: any user of this host can reach all but the MariaDB.
set -euo pipefail
PATH=$PATH:/usr/sbin # mariadbd

case ${1:-} in
  '') ;;
  --) shift ;;
  *) echo "usage: ./dev servers [-- COMMAND...]" >&2 && exit 64 ;;
esac

servers=(redis quorum1 quorum2 quorum3 zookeeper etcd mysql)
declare -A pid=() port=() tries=()
password=$(od -An -N12 -tx1 /dev/urandom | tr -d ' \n')
dir=$(mktemp -d "${TMPDIR:-/tmp}/holdfast-servers.XXXXXX")

# Nothing of it is wanted afterwards, so nothing has to be saved.
finish() {
  [[ ${#pid[@]} == 0 ]] || kill -KILL "${pid[@]}" || true
  wait
  rm -rf "$dir"
}
trap 'finish 2>/dev/null' EXIT # without the shell's lines about killed processes
trap 'exit 130' INT
trap 'exit 143' TERM

step() { printf '[%3ds] %s\n' "$SECONDS" "$*" >&2; }

fail() { # SERVER WHY
  tail -n 20 "$dir/$1/log" >&2 || true
  echo "servers: $1 $2; the end of its log is above" >&2
  exit 1
}

# Below the ports that the kernel gives to clients.
free_port() {
  local number
  while number=$((20000 + RANDOM % 12000)); do
    [[ " ${port[*]:-} " != *" $number "* ]] || continue
    (exec 3<>"/dev/tcp/127.0.0.1/$number") 2>/dev/null || break
  done
  echo "$number"
}

# spawn SERVER COMMAND...: it dies with this script, even if that is killed.
spawn() {
  local server=$1
  shift
  setpriv --pdeathsig KILL "$@" >>"$dir/$server/log" 2>&1 </dev/null &
  pid[$server]=$!
}

start_redis() { # SERVER PORT. With a file of its changes: without one, clients warn.
  spawn "$1" redis-server --port "$2" --bind 127.0.0.1 --dir "$dir/$1" --save '' \
    --appendonly yes
}

start_zookeeper() { # SERVER PORT
  local jars=/usr/share/java
  cat >"$dir/$1/zoo.cfg" <<END
clientPortAddress=127.0.0.1
clientPort=$2
dataDir=$dir/$1/data
tickTime=250
minSessionTimeout=500
maxSessionTimeout=600000
maxClientCnxns=0
admin.enableServer=false
4lw.commands.whitelist=srvr
forceSync=no
END
  spawn "$1" java -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData \
    -cp "$jars/zookeeper.jar:$jars/zookeeper-jute.jar:$jars/slf4j-api.jar:$jars/slf4j-simple.jar" \
    org.apache.zookeeper.server.quorum.QuorumPeerMain "$dir/$1/zoo.cfg"
}

start_etcd() { # SERVER PORT. The shortest lease is one and a half election timeouts.
  local clients=http://127.0.0.1:$2 peers
  peers=http://127.0.0.1:$(free_port)
  rm -rf "$dir/$1/data"
  spawn "$1" etcd --name one --data-dir "$dir/$1/data" --logger zap \
    --listen-client-urls "$clients" --advertise-client-urls "$clients" \
    --listen-peer-urls "$peers" --initial-advertise-peer-urls "$peers" \
    --initial-cluster "one=$peers" --heartbeat-interval 10 --election-timeout 100 \
    --unsafe-no-fsync
}

# As mariadb-install-db has it, which needs programs of another package; with a user for
# us, which creates the tables when it first comes.
first_tables() {
  local share from
  share=$(dirname "$(dirname "$(readlink -f "$(command -v mariadbd)")")")/share
  for from in "$share/mysql/mysql" "$share/mariadb/mariadb" ''; do
    [[ ! -e ${from}_system_tables.sql ]] || break
  done
  printf '%s\n' 'CREATE DATABASE mysql;' 'USE mysql;'
  cat "${from}_system_tables.sql" "${from}_system_tables_data.sql"
  cat <<END
DELETE FROM global_priv WHERE User = 'root' AND Host <> 'localhost';
FLUSH PRIVILEGES;
CREATE DATABASE holdfast;
CREATE USER holdfast IDENTIFIED BY '$password';
GRANT ALL ON holdfast.* TO holdfast;
END
}

start_mysql() { # SERVER PORT
  local folder=$dir/$1 storage
  storage=(--no-defaults "--datadir=$folder/data" --innodb-log-file-size=4M
    --innodb-buffer-pool-size=16M --innodb-flush-method=nosync)
  [[ $(id -u) != 0 ]] || storage+=(--user=root) # or it refuses
  if [[ ! -d $folder/data ]]; then
    mkdir "$folder/data"
    first_tables | mariadbd "${storage[@]}" --bootstrap >>"$folder/log" 2>&1 ||
      fail "$1" "does not make its first tables"
  fi
  spawn "$1" mariadbd "${storage[@]}" "--socket=$folder/socket" "--port=$2" \
    --bind-address=127.0.0.1 "--pid-file=$folder/pid" "--tmpdir=$folder" --skip-log-bin \
    --skip-name-resolve
}

start() { # SERVER
  mkdir -p "$dir/$1"
  : >"$dir/$1/log"
  port[$1]=$(free_port)
  "start_${1/quorum?/redis}" "$1" "${port[$1]}"
}

serves() { # SERVER. By its log: another server may have taken the port.
  local mode=''
  case $1 in
    redis | quorum?) grep -q 'Ready to accept connections' "$dir/$1/log" ;;
    etcd) grep -q 'serving client traffic' "$dir/$1/log" ;;
    mysql) grep -q 'ready for connections' "$dir/$1/log" ;;
    zookeeper)
      kill -0 "${pid[$1]}" && mode=$( (exec 3<>"/dev/tcp/127.0.0.1/${port[$1]}" &&
        printf srvr >&3 && timeout 2 cat <&3) 2>/dev/null || true)
      [[ $mode == *'Mode: '* ]]
      ;;
  esac
}

await() { # SERVER. Another process may have taken its port: three tries.
  local end=$((SECONDS + 30 * ${HOLDFAST_TEST_SCALE:-1}))
  until serves "$1"; do
    ((SECONDS < end)) || fail "$1" "does not start"
    if ! kill -0 "${pid[$1]}" 2>/dev/null; then
      tries[$1]=$((${tries[$1]:-0} + 1))
      ((tries[$1] < 3)) || fail "$1" "does not start"
      start "$1"
    fi
    sleep 0.1
  done
}

for server in "${servers[@]}"; do start "$server"; done
for server in "${servers[@]}"; do await "$server"; done

at() { echo "127.0.0.1:${port[$1]}"; }
export HOLDFAST_REDIS_URL HOLDFAST_ZOOKEEPER_URL HOLDFAST_ETCD_URL HOLDFAST_MYSQL_URL \
  HOLDFAST_QUORUM_URL
HOLDFAST_REDIS_URL=redis://$(at redis)
HOLDFAST_ZOOKEEPER_URL=zookeeper://$(at zookeeper)
HOLDFAST_ETCD_URL=etcd://$(at etcd)
HOLDFAST_MYSQL_URL=mysql://holdfast:$password@$(at mysql)/holdfast
HOLDFAST_QUORUM_URL=quorum:redis://$(at quorum1),redis://$(at quorum2),redis://$(at quorum3)

if [[ $# != 0 ]]; then
  code=0
  "$@" || code=$?
  exit "$code"
fi
step "five servers (the last is three of Redis), their files in $dir; choose one:"
printf 'export HOLDFAST_URL=%s\n' "$HOLDFAST_REDIS_URL" "$HOLDFAST_ZOOKEEPER_URL" \
  "$HOLDFAST_ETCD_URL" "$HOLDFAST_MYSQL_URL" "$HOLDFAST_QUORUM_URL"
step "Ctrl-C ends them"
wait -n "${pid[@]}" || true
for server in "${servers[@]}"; do
  kill -0 "${pid[$server]}" 2>/dev/null || fail "$server" "has ended"
done
