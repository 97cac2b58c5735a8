#!/bin/sh
# The six questions of docs/fleet.md, asked of a ClickHouse cluster of two shards on this machine.
#
#   git trace export --format jsonl DIRECTORY      in each repository
#   sh clickhouse.sh DIRECTORY
#
# It starts two servers on 127.0.0.1, spreads the rows over both by the name of the repository, prints each answer below
# a line "-- NAME" as values with tabs between, and stops the servers. PORT is the first of six ports (19000). It needs
# clickhouse-server and clickhouse-client; version 18.16 of Debian 12 knows no Parquet, so it takes JSON lines.
set -eu
data=$(cd "$1" && pwd)
port=${PORT:-19000}
work=$(mktemp -d)
pids=
stop() { [ -z "$pids" ] || kill $pids 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"; }
trap stop EXIT
trap 'exit 1' INT TERM

cat >"$work/users.xml" <<END
<yandex><profiles><default></default></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
<quotas><default></default></quotas></yandex>
END
shard() { echo "<shard><replica><host>127.0.0.1</host><port>$1</port></replica></shard>"; }
for n in 0 1; do
  mkdir "$work/$n"
  cat >"$work/$n/config.xml" <<END
<yandex><logger><level>error</level><log>$work/$n/log</log><errorlog>$work/$n/errors</errorlog></logger>
<tcp_port>$((port + n))</tcp_port><http_port>$((port + n + 2))</http_port><interserver_http_port>$((port + n + 4))</interserver_http_port>
<listen_host>127.0.0.1</listen_host><path>$work/$n/data/</path><tmp_path>$work/$n/tmp/</tmp_path>
<users_config>$work/users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>67108864</mark_cache_size><max_concurrent_queries>50</max_concurrent_queries>
<remote_servers><two>$(shard "$port")$(shard $((port + 1)))</two></remote_servers></yandex>
END
  clickhouse-server --config-file="$work/$n/config.xml" >"$work/$n/out" 2>&1 &
  pids="$pids $!"
done

ask() { n=$1; shift; clickhouse-client --host 127.0.0.1 --port $((port + n)) --multiquery "$@"; }
for n in 0 1; do
  tries=0
  until ask $n --query 'SELECT 1' >/dev/null 2>&1; do
    tries=$((tries + 1)); [ $tries -lt 120 ] || { cat "$work/$n/errors" >&2; exit 1; }
    sleep 0.5
  done
done

# The columns that the questions need. Rows of one repository lie on one shard, so that joins within a repository stay there.
tables='
lines repo String, month Nullable(String), agent Nullable(String), path Nullable(String), lines Int64, owner String, model Nullable(String)
lives repo String, agent Nullable(String), trace_id Nullable(String), prompt Nullable(Int64), lines Int64, owner String, gone_at Nullable(String), gone_by Nullable(String), lived_s Nullable(Int64), seen_s Int64
commits repo String, commit String, reverts Array(String)
conversations repo String, agent Nullable(String), cost_usd Nullable(Float64)
prompts repo String, trace_id String, prompt Nullable(Int64), text Nullable(String)
'
echo "$tables" | while read -r table columns; do
  [ -n "$table" ] || continue
  for n in 0 1; do
    ask $n --query "CREATE TABLE shard_$table ($columns) ENGINE = MergeTree ORDER BY repo;
      CREATE TABLE $table ($columns) ENGINE = Distributed(two, default, shard_$table, sipHash64(repo))" </dev/null
  done
  [ -d "$data/$table" ] || continue # nobody has a row
  find "$data/$table" -name '*.jsonl' -exec cat {} + |
    ask 0 --insert_distributed_sync=1 --input_format_skip_unknown_fields=1 --query "INSERT INTO $table FORMAT JSONEachRow"
done
for n in 0 1; do
  echo "shard $n: $(ask $n --query 'SELECT count() FROM shard_lines') rows of lines" >&2
done

answer() { echo "-- $1"; ask 0 --query "$2"; }
answer 'share by month' "
SELECT month, sum(lines) AS added, sum(CASE WHEN owner = 'ai' THEN lines ELSE 0 END) AS ai,
       sum(CASE WHEN owner = 'human' THEN lines ELSE 0 END) AS human, sum(CASE WHEN owner = 'unknown' THEN lines ELSE 0 END) AS unknown
FROM lines GROUP BY month ORDER BY month"
answer 'share by model' "
SELECT owner, model, sum(lines) AS added FROM lines GROUP BY owner, model ORDER BY owner, model"
answer 'share by directory' "
SELECT CASE WHEN path IS NULL THEN NULL WHEN position(path, '/') = 0 THEN '.' ELSE substring(path, 1, position(path, '/')) END AS directory,
       sum(lines) AS added, sum(CASE WHEN owner = 'ai' THEN lines ELSE 0 END) AS ai
FROM lines GROUP BY directory ORDER BY directory"
answer 'survival by agent' "
SELECT owner, agent, days, sum(lines) AS written, sum(CASE WHEN lived_s IS NULL OR lived_s > days * 86400 THEN lines ELSE 0 END) AS alive
FROM (SELECT owner, agent, lines, lived_s, seen_s, arrayJoin([1, 7, 30, 90]) AS days FROM lives)
WHERE seen_s >= days * 86400 GROUP BY owner, agent, days ORDER BY owner, agent, days"
answer 'cost per surviving line' "
SELECT agent, cost, unpriced, alive, cost / nullIf(alive, 0) AS usd_per_line
FROM (SELECT agent, sum(cost_usd) AS cost, sum(isNull(cost_usd)) AS unpriced FROM conversations GROUP BY agent)
GLOBAL ANY LEFT JOIN (SELECT agent, sum(CASE WHEN gone_at IS NULL THEN lines ELSE 0 END) AS alive FROM lives WHERE owner = 'ai' GROUP BY agent) USING agent
ORDER BY agent"
answer 'prompts behind reverted lines' "
SELECT repo, trace_id, prompt, sum(lines) AS reverted, min(text) AS text
FROM (SELECT repo, trace_id, prompt, lines
      FROM (SELECT repo, trace_id, prompt, lines, gone_by AS commit FROM lives WHERE owner = 'ai' AND gone_by IS NOT NULL)
      GLOBAL ANY INNER JOIN (SELECT repo, toNullable(commit) AS commit FROM commits WHERE length(reverts) > 0) USING repo, commit)
GLOBAL ANY LEFT JOIN (SELECT repo, toNullable(trace_id) AS trace_id, prompt, text FROM prompts) USING repo, trace_id, prompt
GROUP BY repo, trace_id, prompt ORDER BY reverted DESC, repo, trace_id, prompt"
