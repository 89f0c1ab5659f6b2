// `npm run model`: checks the models in this folder with Alloy. Needs Java and Maven, which downloads Alloy.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const ALLOY = 'org.alloytools.alloy.dist'
const VERSION = '6.2.0'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-model-'))
try {
  const artifact = `org.alloytools:${ALLOY}:${VERSION}`
  const show = { stdio: 'inherit' } as const
  execFileSync(
    'mvn',
    ['-q', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`],
    show,
  )
  const program = path.join(folder, `${ALLOY}-${VERSION}.jar`)
  for (const file of fs.readdirSync(import.meta.dirname).filter((each) => each.endsWith('.als'))) {
    const model = path.join(import.meta.dirname, file)
    // Exits with an error if a command does not end as the model expects.
    execFileSync('java', ['-jar', program, 'exec', '-t', 'none', '-o', path.join(folder, 'out'), model], show)
  }
} finally {
  fs.rmSync(folder, { recursive: true })
}
