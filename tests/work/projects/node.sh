# A package for node with a dependency that lies beside it as a tarball.
# Needs: node npm
git init -q -b main
mkdir -p tool/bin test src vendor
echo '{"name":"tool","version":"1.0.0","bin":{"shout":"bin/shout.js"},"main":"index.js"}' > tool/package.json
echo 'exports.shout = (text) => text.toUpperCase();' > tool/index.js
printf '#!/usr/bin/env node\nconsole.log(require("..").shout(process.argv[2] || "hey"));\n' > tool/bin/shout.js
chmod +x tool/bin/shout.js
(cd tool && npm pack --silent --pack-destination ../vendor > /dev/null)
rm -r tool
# Tools as projects install them: small ones with the names of the real ones.
for pair in typescript:tsc:types eslint:eslint:lint vitest:vitest:vitest prettier:prettier:pretty; do
  IFS=: read -r package program word <<< "$pair"
  mkdir -p tool
  echo "{\"name\":\"$package\",\"version\":\"1.0.0\",\"bin\":{\"$program\":\"run.js\"}}" > tool/package.json
  printf '#!/usr/bin/env node\nconsole.log("%s".toUpperCase());\n' "$word" > tool/run.js
  chmod +x tool/run.js
  (cd tool && npm pack --silent --pack-destination ../vendor > /dev/null)
  rm -r tool
done
cat > package.json <<'X'
{
  "name": "app",
  "version": "1.0.0",
  "scripts": {
    "build": "mkdir -p dist && cp src/index.js dist/",
    "test": "node --test test/",
    "lint": "node --check src/index.js && echo linted",
    "start": "node src/server.js",
    "shout": "shout built"
  },
  "dependencies": { "tool": "file:vendor/tool-1.0.0.tgz" },
  "devDependencies": {
    "typescript": "file:vendor/typescript-1.0.0.tgz",
    "eslint": "file:vendor/eslint-1.0.0.tgz",
    "vitest": "file:vendor/vitest-1.0.0.tgz",
    "prettier": "file:vendor/prettier-1.0.0.tgz"
  }
}
X
echo 'exports.add = (a, b) => a + b; if (require.main === module) console.log(exports.add(1, 2));' > src/index.js
cat > src/server.js <<'X'
const server = require("http").createServer((request, response) => response.end("served\n"));
server.listen(Number(process.env.PORT || 3000), "127.0.0.1");
X
cat > src/pipe.js <<'X'
// As runners of TypeScript do: a socket below the directory for temporary files.
const net = require("net"), os = require("os"), path = require("path"), fs = require("fs");
const folder = path.join(os.tmpdir(), `runner-${process.getuid()}`);
fs.mkdirSync(folder, { recursive: true });
const place = path.join(folder, `${process.pid}.pipe`);
const server = net.createServer((socket) => socket.end("piped"));
server.listen(place, () => net.connect(place).on("data", (text) => {
  console.log(String(text));
  server.close();
}));
X
cat > test/add.test.js <<'X'
const test = require("node:test"), assert = require("node:assert");
test("adds", () => assert.strictEqual(require("../src/index.js").add(1, 2), 3));
X
printf 'node_modules\ndist\n' > .gitignore
npm install --silent --offline --no-audit --no-fund > /dev/null
git add . && git commit -qm 'An app'
