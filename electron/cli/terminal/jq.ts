import { CofferError } from '../../../shared/errors.ts'
import { sanitizeText } from './printable.ts'
import { UsageError } from './usage-error.ts'

const NOT_COMPILED = 3

/** Throws a usage error for a filter that jq cannot compile. */
export async function assertFilter(filter: string): Promise<void> {
  const { exitCode, stderr } = await runJq('null', `empty | (${filter}\n)`, [])
  if (exitCode === NOT_COMPILED)
    throw new UsageError(
      `The filter of --jq is not valid: ${formatReason(stderr.replace(/ at <top-level>.*/s, ''))}`,
    )
}

/**
 * Filters JSON like `jq -r`: returns one line per result, with strings as plain text. Throws `unprocessable` for a filter
 * that does not fit the JSON.
 */
export async function filterJson(json: string, filter: string): Promise<string> {
  const { stdout, stderr, exitCode } = await runJq(json, filter, [process.stdout.isTTY ? '-r' : '-rc'])
  if (exitCode === 0) return stdout
  throw new CofferError(
    'unprocessable',
    `The filter of --jq does not fit the response: ${formatReason(stderr)}`,
  )
}

async function runJq(json: string, filter: string, flags: string[]) {
  const { raw } = await import('jq-wasm/inline')
  return raw(json, filter, flags)
}

function formatReason(stderr: string): string {
  const [first = ''] = stderr.split('\n', 1)
  return `${sanitizeText(first.replace(/^jq: error( \(at .*?\))?: /, '').replace(/:$/, ''))}.`
}
