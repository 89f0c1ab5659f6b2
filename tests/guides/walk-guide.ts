import fs from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { builtCli, startCoffer } from '../cli/run-coffer.ts'
import { createTempFolder } from '../vault.ts'
import { findDifferences } from './find-differences.ts'
import { readGuide } from './read-guide.ts'
import { startShell } from './start-shell.ts'

const passphrase = 'correct horse battery staple'

/**
 * Creates a folder with the program `coffer`, a data folder, and a shell that runs commands like a reader of a guide.
 */
export function startReader() {
  const home = createTempFolder()
  const bin = path.join(home, 'bin')
  const dataDir = path.join(home, 'data')
  fs.mkdirSync(bin)
  const program = `#!/bin/sh\nexec "${process.execPath}" --disable-warning=ExperimentalWarning "${builtCli}" "$@"\n`
  fs.writeFileSync(path.join(bin, 'coffer'), program, { mode: 0o755 })
  const env = {
    PATH: `${bin}:${path.dirname(process.execPath)}:${process.env.PATH}`,
    COFFER_DATA_DIR: dataDir,
    COFFER_PASSPHRASE: passphrase,
    NODE_OPTIONS: process.env.NODE_OPTIONS ?? '',
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
  }
  /** Strings in the guide → their values in this test. */
  const here = new Map<string, string>()
  return {
    home,
    here,
    run: startShell(home, env),
    /** Starts `coffer serve` instead of `npm start`, and inserts its URL and keys into the next commands. */
    async startServe(...more: string[]) {
      const args = ['serve', '--data-dir', dataDir, '--port', '0', '--json', ...more]
      const coffer = startCoffer(args, { COFFER_PASSPHRASE: passphrase }, builtCli)
      const facts = await coffer.json()
      here.set('http://127.0.0.1:4747', facts.url)
      if (facts.recovery_key) here.set('<recovery key>', facts.recovery_key)
      for (const [type, key] of Object.entries((facts.keys ?? {}) as Record<string, string>)) {
        here.set(`key_local_${{ management: 'mgt', private: 'pvt', public: 'pub' }[type]}_…`, key)
      }
      return {
        url: facts.url as string,
        async stop() {
          coffer.stop()
          await coffer.ended
        },
      }
    },
  }
}

type Reader = ReturnType<typeof startReader>

/**
 * Runs every command of a guide in order, like a reader, and compares each response with the guide's. The members of
 * `notRun` and `before` are beginnings of commands: `notRun` gives the reason for skipping a command, and `before` is
 * called ahead of it. The longest match applies. Returns how many commands ran, and fails if a member matches no
 * command.
 */
export async function walkGuide(
  { run, here }: Reader,
  page: string,
  options: {
    readonly notRun?: Readonly<Record<string, string>>
    readonly before?: Readonly<Record<string, () => unknown>>
  } = {},
): Promise<number> {
  const { notRun = {}, before = {} } = options
  const unused = new Set([...Object.keys(notRun), ...Object.keys(before)])
  let ran = 0
  for (const { command, response } of readGuide(page)) {
    const rule = findRule({ ...notRun, ...before }, command)
    if (rule !== undefined) {
      unused.delete(rule)
      if (Object.hasOwn(notRun, rule)) continue
      await before[rule]?.()
    }
    const printed = await run(replaceTexts(toRunLine(command, response), here))
    ran++
    if (!printsJson(command)) continue
    const result = printed === '' ? undefined : JSON.parse(printed)
    // A response shows a new key only once, so later commands use it in place of the guide's key.
    if (result?.key?.startsWith?.('key_local_pvt_')) here.set('key_local_pvt_…', result.key)
    // If the guide shows no response, the request must only succeed.
    if (response === null) expect([page, command, result?.title]).toEqual([page, command, undefined])
    else {
      const expected = JSON.parse(replaceTexts(response, here))
      expect([page, command, findDifferences(expected, result)], printed).toEqual([page, command, []])
    }
  }
  expect([page, ...unused]).toEqual([page])
  return ran
}

/** Returns the command to run: `curl` without its progress, and `coffer api` may exit with 1 if an error is shown. */
function toRunLine(command: string, response: string | null): string {
  const expectsError = response !== null && /"status": 4\d\d/.test(response)
  return expectsError && command.startsWith('coffer api ')
    ? `${command} || [ $? = 1 ]`
    : command.replace(/^curl /, 'curl -sS ')
}

function printsJson(command: string): boolean {
  return /^(curl|coffer api) /.test(command) && !command.includes(' --jq ')
}

/** Returns the longest of the rules that a command begins with. */
function findRule(rules: object, command: string): string | undefined {
  return Object.keys(rules)
    .filter((each) => command.startsWith(each))
    .toSorted((a, b) => b.length - a.length)[0]
}

/** Replaces the strings of a guide by their values in a test. */
function replaceTexts(text: string, here: Reader['here']): string {
  return [...here].reduce((before, [guideText, is]) => before.replaceAll(guideText, is), text)
}
