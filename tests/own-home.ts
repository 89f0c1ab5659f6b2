import fs from 'node:fs'
import path from 'node:path'

/**
 * Files of the developer's tools that are linked into the new home, for example for tests that install packages.
 * Coffer's data is not among them.
 */
const linkedFiles = [
  '.npmrc',
  '.npm',
  '.gitconfig',
  '.cache',
  'go',
  path.join('Library', 'Caches'),
  path.join('Library', 'Keychains'),
]
/** Environment variables with a vault, a server or a secret of the developer. They are deleted. */
const named =
  /^COFFER_(API_KEY|BASE_URL|DATA_DIR|MANAGEMENT_KEY|NEW_PASSPHRASE|PASSPHRASE|PORT|PUBLIC_KEY|PUBLISHED_PORT|PUSH_|VAULT)/

/** Gives this process and its children their own home folder, with a data folder in it. */
function moveOut(homes: string): void {
  const home = path.join(homes, String(process.pid))
  const run = path.join(home, 'run')
  fs.mkdirSync(run, { recursive: true, mode: 0o700 })
  const before = process.env.HOME ?? process.env.USERPROFILE
  for (const each of before ? linkedFiles : []) {
    const from = path.join(before as string, each)
    const to = path.join(home, each)
    if (!fs.existsSync(from)) continue
    fs.mkdirSync(path.dirname(to), { recursive: true })
    fs.symlinkSync(from, to, fs.statSync(from).isDirectory() ? 'junction' : 'file')
  }
  for (const name of Object.keys(process.env)) if (named.test(name)) delete process.env[name]
  Object.assign(process.env, {
    HOME: home,
    XDG_DATA_HOME: path.join(home, '.local', 'share'),
    XDG_CONFIG_HOME: path.join(home, '.config'),
    XDG_STATE_HOME: path.join(home, '.local', 'state'),
    XDG_RUNTIME_DIR: run,
    ...(process.platform === 'win32' && {
      USERPROFILE: home,
      APPDATA: path.join(home, 'AppData', 'Roaming'),
    }),
  })
}

const homes = process.env.HOMES_OF_TESTS
// This happens once per process, for all test files.
if (homes && !process.env.HOME?.startsWith(homes)) moveOut(homes)
