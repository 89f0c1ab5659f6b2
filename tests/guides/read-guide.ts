import fs from 'node:fs'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..', '..')

/**
 * A command or a complete JavaScript example of a guide, with the JSON that the guide shows as its response, if any.
 */
export type GuideStep = { readonly command: string; readonly response: string | null }

/**
 * Reads the commands of a guide's `sh` blocks and its `js` blocks, in order. A `json` block after a command is the
 * response to it.
 */
export function readGuide(page: string): GuideStep[] {
  const text = fs.readFileSync(path.join(root, page), 'utf8')
  const steps: { command: string; response: string | null }[] = []
  let last: string | undefined
  for (const [, language = '', body = ''] of text.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)) {
    const before = steps.at(-1)
    if (language === 'sh') for (const command of splitCommands(body)) steps.push({ command, response: null })
    if (language === 'js')
      steps.push({ command: `node --input-type=module <<'JS'\n${body}JS`, response: null })
    // JSON that does not follow a command, such as a rule to create, is not a response.
    if (language === 'json' && last === 'sh' && before) before.response = body
    last = language
  }
  return steps
}

/** Splits a block into commands. A command is one line, or several lines joined by quotes or a backslash. */
function splitCommands(block: string): string[] {
  const commands: string[] = []
  let open = ''
  for (const line of block.split('\n')) {
    open = open === '' ? line : `${open}\n${line}`
    const isQuoted = open.replaceAll(/[^']/g, '').length % 2 === 1
    if (isQuoted || line.endsWith('\\')) continue
    const command = open.replace(/\s+#.*$/, '').trim()
    if (command !== '' && !command.startsWith('#')) commands.push(command)
    open = ''
  }
  return commands
}
