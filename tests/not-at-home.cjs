// Loaded first into test processes and their children, by NODE_OPTIONS in vitest.config.ts. It blocks the data folder
// of the person who runs the tests, so a program that opens that folder gets an error.
const fs = require('node:fs')
const { syncBuiltinESMExports } = require('node:module')
const os = require('node:os')
const path = require('node:path')

// The home folder comes from the account, so that a child with a different environment has the same one.
const home = os.userInfo().homedir
const forbidden = new Set([
  ...(process.env.DATA_FOLDERS_OF_THE_DEVELOPER ?? '').split(path.delimiter).filter(Boolean),
  path.join(home, '.local', 'share', 'coffer'),
  path.join(home, 'Library', 'Application Support', 'Coffer'),
  path.join(home, 'AppData', 'Roaming', 'Coffer'),
])

function refuse(file) {
  if (typeof file !== 'string') return
  const full = path.resolve(file)
  for (const folder of forbidden) {
    if (full === folder || full.startsWith(folder + path.sep))
      throw new Error(`A test reached for ${folder}, the data folder of whoever runs it.`)
  }
}

/** Coffer calls one of these functions before it uses a folder in any other way. */
const names = ['access', 'exists', 'lstat', 'mkdir', 'open', 'readFile', 'readdir', 'rm', 'stat', 'writeFile']

for (const [owner, ending] of [
  [fs, 'Sync'],
  [fs, ''],
  [fs.promises, ''],
]) {
  for (const name of names.map((each) => each + ending)) {
    const real = owner[name]
    if (typeof real !== 'function') continue
    owner[name] = Object.assign(function (file, ...more) {
      refuse(file)
      return real.call(this, file, ...more)
    }, real)
  }
}
syncBuiltinESMExports()
