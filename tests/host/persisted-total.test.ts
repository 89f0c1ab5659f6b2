import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createTempFolder } from '../vault.ts'
import { runInSession } from './run-steps.ts'
import type { ProgramStep } from './steps.ts'

const name = 'work'

test.runIf(process.platform === 'linux')(
  'X-42 an old copy of the data folder is rejected if the keychain has a later commit count',
  () => {
    const folder = createTempFolder()
    const dataDir = path.join(folder, 'data')
    const open: ProgramStep = { do: 'open', dataDir, name, with: { keychain: true } }
    const results = runInSession(folder, { unlocked_with: 'pw' }, [
      { do: 'create', dataDir, name, protection: { keychain: true } },
      { do: 'copy', from: dataDir, to: path.join(folder, 'yesterday') },
      open,
      open,
      { do: 'keep totals' },
      { do: 'copy', from: path.join(folder, 'yesterday'), to: path.join(folder, 'elsewhere') },
      { do: 'copy', from: path.join(folder, 'yesterday'), to: dataDir },
      open,
      { ...open, dataDir: path.join(folder, 'elsewhere') },
    ])
    expect(results.at(-2)).toMatchObject({
      code: 'damaged',
      message: expect.stringContaining('keychain has a record of later commits'),
    })
    expect(results.at(-1)).toMatchObject({ tenant_id: expect.any(String) })
    expect(fs.existsSync(dataDir)).toBe(true)
  },
)
