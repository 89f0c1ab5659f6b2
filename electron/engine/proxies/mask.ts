import vm from 'node:vm'
import { CofferError } from '../../../shared/errors.ts'
import { passesLuhn } from '../../../shared/luhn.ts'

/** The longest a regular expression may run, in ms: no other request waits longer (rule R-03). */
const LIMIT_MS = 50

const source = `(() => {
  const found = new RegExp(expression, 'g')
  return body.replace(found, (...match) => {
    // A last object holds named groups; before it come the place and the whole text.
    const end = typeof match.at(-1) === 'object' ? -3 : -2
    let text = match[0]
    for (const group of new Set(match.slice(1, end))) {
      if (group) text = text.split(group).join(replacement.repeat(Array.from(group).length))
    }
    return text
  })
})()`

/** Made for the first mask: making it at every start would take a millisecond. */
let sandbox: { readonly context: vm.Context; readonly script: vm.Script } | undefined

/**
 * Masks a body by a regular expression: inside each match, every occurrence of a capture group's text is replaced by the
 * replacement, repeated to the same length (rule G-05). Throws `unprocessable` if the expression takes too long.
 */
export function maskByExpression(body: string, expression: string, replacement: string): string {
  // SECURITY: only a script can be interrupted; some expressions never end.
  sandbox ??= { context: vm.createContext({}), script: new vm.Script(source) }
  const { context, script } = sandbox
  const run = () => String(script.runInContext(context, { timeout: LIMIT_MS }))
  Object.assign(context, { body, expression, replacement })
  try {
    return runWithin(run)
  } catch (error) {
    throw new CofferError('unprocessable', 'The regular expression of a mask takes too long on this body.', {
      cause: error,
    })
  } finally {
    Object.assign(context, { body: '', expression: '', replacement: '' })
  }
}

/** Runs the script. If the machine gave it no processor within its limit, it gets another chance. */
function runWithin(run: () => string, chances = 5): string {
  const before = process.cpuUsage()
  try {
    return run()
  } catch (error) {
    const { user, system } = process.cpuUsage(before)
    if (chances === 0 || (user + system) / 1000 > LIMIT_MS * 0.8) throw error
    return runWithin(run, chances - 1)
  }
}

/** Masks every card number in a body: 12 to 19 digits in a row that pass the Luhn check. */
export function maskCardNumbers(body: string, replacement: string): string {
  return body.replace(/(?<!\d)\d{12,19}(?!\d)/g, (digits) =>
    passesLuhn(digits) ? replacement.repeat(digits.length) : digits,
  )
}
