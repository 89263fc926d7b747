# Files of the kinds that people look into.
mkdir -p logs tree/a/b tree/c
for number in $(seq 200); do
  echo "2024-01-0$((number % 9 + 1)) $([ $((number % 7)) = 0 ] && echo ERROR || echo INFO) request $number took $((number * 3))ms"
done > logs/app.log
echo '{"users":[{"name":"ann","age":30},{"name":"bob","age":25}]}' > users.json
printf 'id,name,total\n1,ann,30\n2,bob,25\n3,cid,40\n' > sales.csv
printf 'one\ntwo\nthree\n' > old.txt
printf 'one\n2\nthree\n' > new.txt
diff -u old.txt new.txt > change.patch || true
echo text | tee tree/a/one.txt tree/a/b/two.txt tree/c/three.md > /dev/null
sqlite3 shop.db 'create table sales(id, name, total); insert into sales values (1,"ann",30),(2,"bob",25);'
tar czf tree.tgz tree
printf 'key: value\nlist:\n  - a\n' > config.yaml
printf '#!/bin/bash\nset -euo pipefail\necho "script $1"\n' > run.sh
chmod +x run.sh
printf 'caf\351\n' > latin.txt
