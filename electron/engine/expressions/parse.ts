import { Tokenizer, TypeGuards } from 'liquidjs'
import { CofferError, invalid } from '../../../shared/errors.ts'
import { safeName } from '../../../shared/problems.ts'
import { type Budget, newBudget, spend } from './bounds.ts'
import type { Args } from './filter.ts'
import { listOf } from './filters/standard-list.ts'
import { filterOf } from './filters.ts'
import { type Operand, operandOf, type Scope } from './operand.ts'
import type { Value } from './value.ts'
import { Work } from './work.ts'

/** An expression between `{{` and `}}`, ready to run. */
export type Output = (scope: Scope, budget: Budget) => Value

type Step = {
  readonly name: string
  readonly run: (value: Value, scope: Scope, budget: Budget) => Value
}
type FilterToken = ReturnType<Tokenizer['readFilters']>[number]

/**
 * Splits a source into texts and expressions (rule E-01). Throws `invalid` for syntax errors, tags, and filters that
 * do not exist or get the wrong arguments.
 */
export function parse(source: string): readonly (string | Output)[] {
  try {
    return new Tokenizer(source, {})
      .readTopLevelTokens()
      .map((token) => {
        if (TypeGuards.isTagToken(token)) throw invalid('', 'must not hold a tag ({% … %})')
        return TypeGuards.isOutputToken(token) ? output(source, token.contentRange) : htmlText(token)
      })
      .filter((part) => part !== '')
  } catch (error) {
    if (error instanceof CofferError) throw error
    throw unparsable()
  }
}

function unparsable(): CofferError {
  return invalid('', 'is not a valid expression')
}

function htmlText(token: unknown): string {
  return TypeGuards.isHTMLToken(token) ? token.getContent() : ''
}

function output(source: string, range: [number, number]): Output {
  const tokenizer = new Tokenizer(source, {}, undefined, range)
  const { initial, filters } = tokenizer.readFilteredValue()
  if (filters.length === 0 && tokenizer.peek() === ',') {
    // The spelling `{{ data.number, reveal_last: 4 }}` stands for `{{ data.number | reveal_last: 4 }}` (rule T-07).
    return output(`${source.slice(0, tokenizer.p)}|${source.slice(tokenizer.p + 1)}`, range)
  }
  tokenizer.skipBlank()
  const [operand] = initial.postfix
  // SECURITY: anything the tokenizer leaves unread, a masking filter for example, would be dropped silently.
  const complete = tokenizer.end() && !/\|\s*$/.test(source.slice(0, range[1]))
  if (!complete || !operand || initial.postfix.length > 1) throw unparsable()
  return pipeline(
    operandOf(operand, source),
    filters.map((token) => step(token, source)),
  )
}

function pipeline({ read }: Operand, steps: readonly Step[]): Output {
  return (scope, budget) => {
    let value = read(scope, budget)
    let missing = false
    for (const { name, run } of steps) {
      const before = value
      value = run(before, scope, budget)
      if (name === 'default') missing &&= value === before
      else missing ||= value !== null && isLost(name, before)
    }
    budget.missing ||= missing || value === null
    budget.values?.push(value)
    return value
  }
}

/** Whether a filter returned something only because it took a missing value for an empty text or 0. */
function isLost(filter: string, value: Value): boolean {
  if (value === null) return true
  return (filter === 'join' || filter === 'sum') && Array.isArray(value) && listOf(value).includes(null)
}

function step(token: FilterToken, source: string): Step {
  const filter = filterOf(token.name)
  if (!filter) throw invalid('', `has an unknown filter: ${safeName(token.name)}`)
  const positional: Operand[] = []
  const named = new Map<string, Operand>()
  for (const arg of token.args) {
    if (!Array.isArray(arg)) positional.push(operandOf(arg, source))
    else if (arg[0] && arg[1]) named.set(arg[0], operandOf(arg[1], source))
    else throw unparsable()
  }
  const argsIn = (scope: Scope, budget: Budget): Args => ({
    positional: positional.map(({ read }) => read(scope, budget)),
    named: new Map([...named].map(([name, { read }]) => [name, read(scope, budget)])),
  })
  if ([...positional, ...named.values()].every(({ literal }) => literal)) {
    const run = filter.bind(argsIn({}, newBudget(new Work(0))))
    return { name: filter.name, run: (value, _scope, budget) => run(value, budget) }
  }
  const run: Step['run'] = (value, scope, budget) => {
    spend(budget, 64)
    const args = argsIn(scope, budget)
    if (filter.name !== 'default' && [...args.positional, ...args.named.values()].includes(null)) {
      budget.missing = true
    }
    return filter.bind(args)(value, budget)
  }
  return { name: filter.name, run }
}
