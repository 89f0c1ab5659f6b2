import { spawn } from 'node:child_process'
import path from 'node:path'
import readline from 'node:readline'
import { expect, test } from 'vitest'
import { createTempFolder } from '../vault.ts'

const root = path.join(import.meta.dirname, '..', '..')

test.runIf(process.platform !== 'win32')(
  'killing npm stops the server that `npm start` or `npm run coffer` started',
  { tags: 'thorough' },
  async () => {
    for (const script of [
      ['start', '--'],
      ['run', '-s', 'coffer', '--', 'serve'],
    ]) {
      const args = [...script, '--ephemeral', '--port', '0', '--json', '--data-dir', createTempFolder()]
      const { PATH, HOME } = process.env
      const npm = spawn('npm', args, { cwd: root, env: { PATH, HOME }, stdio: ['ignore', 'pipe', 'ignore'] })
      // The pipe closes once npm, its shell and the server have all exited.
      const ended = new Promise((resolve) => npm.stdout.on('close', resolve))
      const url = await new Promise<string>((resolve) => {
        readline.createInterface({ input: npm.stdout }).on('line', (line) => {
          if (line.startsWith('{')) resolve(JSON.parse(line).url)
        })
      })
      expect((await fetch(`${url}/_coffer/health`)).status).toBe(200)
      npm.kill('SIGTERM')
      await ended
      await expect(fetch(`${url}/_coffer/health`)).rejects.toThrow()
    }
  },
)
