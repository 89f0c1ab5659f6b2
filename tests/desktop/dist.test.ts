import path from 'node:path'
import { expect, test } from 'vitest'
import { root, runProgram } from '../testing/run-program.ts'
import { createTempFolder } from '../vault.ts'

test('npm run dist reports in one sentence that the network is missing, without retrying', async () => {
  const home = createTempFolder()
  const env = {
    ...Object.fromEntries(
      Object.keys(process.env)
        .filter((name) => /_proxy$/i.test(name))
        .map((name) => [name, '']),
    ),
    ELECTRON_MIRROR: 'http://127.0.0.1:4889/',
    HOME: home,
    XDG_CACHE_HOME: path.join(home, '.cache'),
    LOCALAPPDATA: home,
    electron_config_cache: '',
    ELECTRON_BUILDER_CACHE: '',
  }
  const { code, text } = await runProgram(process.execPath, [path.join(root, 'scripts', 'dist.mjs')], { env })
  expect([code, text]).toEqual([
    1,
    'The desktop program could not be packed: 127.0.0.1:4889 cannot be reached (ECONNREFUSED). The first run fetches Electron and the packaging tools; after that it works offline.\n',
  ])
})
