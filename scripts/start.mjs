// `npm start`: installs what is missing, builds, and opens the window; without Electron or a display, serves instead.
import path from 'node:path'
import { build } from './build.mjs'
import { electronBinary, run, whyNoWindow } from './desktop.mjs'
import { install, ownNode, root } from './install.mjs'

install()
build()
const reason = await whyNoWindow()
if (reason === null) run(electronBinary(), ['.', ...process.argv.slice(2)])
else {
  process.stderr.write(`${reason} Serving on localhost instead.\n`)
  const cli = path.join(root, 'electron', 'cli', 'run.mjs')
  // electron/cli/run.mjs explains this variable.
  process.env.MALLOC_ARENA_MAX = '1'
  run(ownNode(), [
    '--disable-warning=ExperimentalWarning',
    // With Node's defaults, the space for short-lived objects starts small, so garbage collection runs often, and then
    // grows to more than 100 MB.
    '--min-semi-space-size=8',
    '--max-semi-space-size=8',
    cli,
    'serve',
    '--console',
    ...process.argv.slice(2),
  ])
}
