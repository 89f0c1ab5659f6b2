import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { environment } from '../../electron/cli/commands/about.ts'
import { completionOf } from '../../electron/cli/commands/completion.ts'
import { manualOf } from '../../electron/cli/commands/man.ts'
import { buildProgram } from '../../electron/cli/program.ts'
import { allOf, leafOf } from '../../electron/cli/terminal/command-tree.ts'
import { eventually } from '../eventually.ts'
import { tempFolder } from '../vault.ts'

const program = leafOf(buildProgram('1.2.3'))

function has(shell: string): boolean {
  return spawnSync(shell, ['--version'], { stdio: 'ignore' }).status === 0
}

/** What bash offers for the last word of a line. */
function offered(...words: string[]): string[] {
  const script = `${completionOf(program, 'bash')}
compopt() { told="$*"; }
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _coffer; printf '%s\\n' "\${COMPREPLY[@]}" $told`
  return execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' })
    .trim()
    .split('\n')
}

test('bash completes commands, commands below them, options and choices', () => {
  expect(offered('coffer', 'se')).toEqual(['serve'])
  expect(offered('coffer', 'keys', '')).toEqual(expect.arrayContaining(['create', 'list']))
  expect(offered('coffer', 'keys', 'create', '--ty')).toEqual(['--type'])
  expect(offered('coffer', 'keys', 'create', '--type', 'm')).toEqual(['management'])
  expect(offered('coffer', 'serve', '--data-dir', '/et')).toEqual(['/etc', '-o', 'filenames'])
  expect(offered('coffer', 'protect', 'k')).toEqual(['keychain'])
  expect(offered('coffer', 'export-openapi', '--format', 'p')).toEqual(['postman'])
  expect(offered('coffer', 'export', '--format', '')).toEqual(['csv', 'ndjson'])
})

test('bash offers files where a file is meant, as readline quotes and ends them, and options behind a dash', () => {
  const folder = tempFolder()
  fs.mkdirSync(path.join(folder, 'a folder'))
  for (const before of [['import'], ['verify'], ['restore'], ['import', '--json'], ['export', '--out']]) {
    expect(offered('coffer', ...before, `${folder}/`)).toEqual([`${folder}/a folder`, '-o', 'filenames'])
  }
  expect(offered('coffer', 'import', '--dr')).toEqual(['--dry-run'])
})

test('bash offers the vaults there are for --vault, and nothing where nothing is known', () => {
  const folder = tempFolder()
  for (const name of ['work', 'play']) {
    fs.mkdirSync(path.join(folder, name))
    fs.writeFileSync(path.join(folder, name, 'vault.json'), '')
  }
  fs.mkdirSync(path.join(folder, 'backups'))
  expect(offered('coffer', 'serve', '--data-dir', folder, '--vault', '')).toEqual(['play', 'work'])
  vi.stubEnv('COFFER_DATA_DIR', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(offered('coffer', 'delete', '--vault', 'w')).toEqual(['work'])
  vi.stubEnv('COFFER_DATA_DIR', path.join(folder, 'none'))
  expect(offered('coffer', 'delete', '--vault', '')).toEqual([''])
  expect(offered('coffer', 'serve', '--port', '')).toEqual([''])
})

test.runIf(process.platform === 'linux')(
  'in a real bash, Tab completes paths, vaults and programs as it should be typed on',
  async () => {
    const folder = tempFolder()
    fs.mkdirSync(path.join(folder, 'a folder'))
    fs.writeFileSync(path.join(folder, 'file.csv'), '')
    fs.mkdirSync(path.join(folder, 'data', 'work'), { recursive: true })
    fs.writeFileSync(path.join(folder, 'data', 'work', 'vault.json'), '')
    const start = path.join(folder, 'start.sh')
    const told = `coffer() { printf 'typed '; printf '<%s>' "$@"; echo; }; PS1=; unset HISTFILE; echo started`
    fs.writeFileSync(start, `${completionOf(program, 'bash')}\n${told}\n`)
    const shell = spawn('script', ['-qec', `bash --noprofile --rcfile '${start}' -i`, '/dev/null'], {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: process.env.PATH, HOME: folder, TERM: 'dumb' },
    })
    onTestFinished(() => void shell.kill('SIGKILL'))
    let shown = ''
    shell.stdout.on('data', (chunk) => {
      shown += chunk
    })
    await eventually(() => expect(shown).toContain('started'))
    const typed = async (line: string) => {
      shown = ''
      shell.stdin.write(`${line}\n`)
      return eventually(() => {
        const [, words] = /^typed (.*?)\r?$/m.exec(shown) ?? []
        expect(words).toBeDefined()
        return words
      })
    }
    expect(await typed('coffer import a\t')).toBe('<import><a folder/>')
    expect(await typed('coffer import fi\t--json')).toBe('<import><file.csv><--json>')
    expect(await typed('coffer serve --data-dir data --vault w\t')).toBe(
      '<serve><--data-dir><data><--vault><work>',
    )
    expect(await typed('coffer serve --data-dir=data --vault=w\t')).toBe(
      '<serve><--data-dir=data><--vault=work>',
    )
    expect(await typed('coffer serve --config f\t--log pr\t')).toBe(
      '<serve><--config><file.csv><--log><pretty>',
    )
    expect(await typed('coffer reactor push a\t')).toBe('<reactor><push><a folder/>')
    expect(await typed('coffer serve --reactors a\t')).toBe('<serve><--reactors><a folder/>')
    expect(await typed('coffer run -- mkfif\tf\t')).toBe('<run><--><mkfifo><file.csv>')
    shell.stdin.end('exit\n')
    await once(shell, 'close')
  },
)

const zsh = has('zsh') ? '' : ' (skipped: there is no zsh here)'
test.skipIf(zsh !== '')(`zsh completes the same${zsh}`, () => {
  const of = (line: string) => {
    const words = line.split(' ')
    const script = `compdef() { :; }; compadd() { shift; offered=($@); }; _files() { offered=(files); }
${completionOf(program, 'zsh')}
words=("$@"); CURRENT=$#words; _coffer; print -l -- $offered`
    return execFileSync('zsh', ['-f', '-c', script, 'zsh', ...words], { encoding: 'utf8' })
      .trim()
      .split('\n')
  }
  expect(of('coffer keys ')).toEqual(['create', 'list', '--help'])
  expect(of('coffer keys create --type ')).toEqual(['private', 'public', 'management'])
  expect(of('coffer export-openapi --format ')).toEqual(['openapi', 'http', 'postman'])
})

const fish = has('fish') ? '' : ' (skipped: there is no fish here)'
test.skipIf(fish !== '')(`fish completes the same${fish}`, () => {
  const of = (line: string) => {
    const script = `${completionOf(program, 'fish')}\ncomplete -C '${line}'`
    const answer = execFileSync('fish', ['--no-config', '-c', script], { encoding: 'utf8' })
    return answer
      .trim()
      .split('\n')
      .map((each) => each.split('\t')[0])
  }
  expect(of('coffer se')).toEqual(['serve'])
  expect(of('coffer keys ')).toEqual(expect.arrayContaining(['create', 'list']))
  expect(of('coffer protect ')).toEqual(expect.arrayContaining(['keychain', 'passphrase']))
})

test('every command is in every script, and every option of it in fish', () => {
  const fish = completionOf(program, 'fish')
  for (const { path, options } of allOf(program)) {
    const name = path.at(-1)
    if (name !== undefined) expect(fish).toContain(`-a ${name} -d `)
    for (const { long } of options) expect(fish).toContain(` -l ${long?.slice(2)}`)
  }
  expect(completionOf(program, 'zsh')).toMatch(/^#compdef coffer\n/)
})

test('the manual names every command, its options and its examples', () => {
  const manual = manualOf(program, '1.2.3')
  expect(manual).toMatch(/^\.TH COFFER 1 "" "coffer 1.2.3"/)
  for (const { path, options, children } of allOf(program)) {
    if (path.length === 0 || children.length > 0) continue
    expect(manual).toContain(`.SS coffer ${path.join(' ').replaceAll('-', '\\-')}`)
    for (const { flags } of options) expect(manual).toContain(`\\fB${flags.replaceAll('-', '\\-')}\\fR`)
  }
  expect(manual).toContain('coffer serve \\-\\-ephemeral \\-\\-port 0')
  for (const section of ['EXIT STATUS', 'ENVIRONMENT', 'FILES', 'EXAMPLES']) {
    expect(manual.split('\n')).toContain(`.SH ${section}`)
  }
  expect(manual.slice(manual.indexOf('.SH EXAMPLES'))).not.toContain('Examples:')
  expect(manual).toMatch(/port to listen on.*Default: 4747\. Environment: COFFER_PORT/)
  expect(manual).toMatch(/One of: private, public, management/)
  expect(manual).not.toContain(os.homedir())
  const used = allOf(program).flatMap(({ options }) => options.flatMap(({ envVar }) => envVar ?? []))
  expect(environment.map(([name]) => name)).toEqual(expect.arrayContaining(used))
  expect(manual.split('\n').filter((line) => /^[.'](?!TH|SH|SS|TP|PP|nf|fi|B|I)/.test(line))).toEqual([])
})

test('the help of every command shows defaults that say something, and none that are empty', () => {
  const commands = buildProgram('1.2.3').commands.flatMap((each) => [each, ...each.commands])
  const help = commands.map((each) => each.helpInformation().replace(/\s+/g, ' ')).join('\n')
  expect(help).toContain('repeatable')
  expect(help).toContain('(default: "default", env: COFFER_VAULT)')
  expect(help).toContain('(default: 4747')
  expect(help).not.toMatch(/default: (\[|\{|true|false)/)
})
