// `npm run check`: runs every script `check:…` of package.json, as many at once as there are cores. Prints the output
// of each when it ends, and fails if one of them fails. Plain JavaScript for the machine's own Node (20 or newer).
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { install, root } from './install.mjs'

/** Runs a script, and prints its output when it ends. */
function run(name) {
  return new Promise((resolve) => {
    const child = spawn('npm', ['run', '--silent', name], { cwd: root, shell: process.platform === 'win32' })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text
      })
    }
    child.once('error', ({ message }) => {
      output += `${message}\n`
    })
    child.once('close', (code) => {
      if (code !== 0) {
        output += `npm run ${name} failed.\n`
        process.exitCode = 1
      }
      process.stdout.write(output, resolve)
    })
  })
}

// Only once, because the scripts would each install at the same time.
install()
const { scripts } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
const names = Object.keys(scripts).filter((name) => name.startsWith('check:'))

async function runNext() {
  for (let name = names.shift(); name; name = names.shift()) await run(name)
}

await Promise.all(Array.from({ length: os.availableParallelism() }, runNext))
