// Loaded into test processes and their children before anything else, by NODE_OPTIONS in vitest.config.ts.
// The data folder of whoever runs the tests is out of their reach: a program that asks for it gets an error.
const fs = require('node:fs')
const { syncBuiltinESMExports } = require('node:module')
const os = require('node:os')
const path = require('node:path')

// A child with an environment of its own still knows the account.
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

/** What Coffer begins with in a folder, whatever it is about to do there. */
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
