import { Tokenizer, TypeGuards } from 'liquidjs'
import { CofferError, createInvalidError } from '../../../shared/errors.ts'
import { sanitizeName } from '../../../shared/problems.ts'
import { consumeWork, createEvaluationBudget, type EvaluationBudget } from './bounds.ts'
import type { FilterArgs } from './filter.ts'
import { toList } from './filters/standard-list.ts'
import { findFilter } from './filters.ts'
import { type ExpressionOperand, parseOperand, type Scope } from './operand.ts'
import type { Value } from './value.ts'
import { WorkBudget } from './work-budget.ts'

/** A compiled expression: the content between `{{` and `}}`. */
export type CompiledOutput = (scope: Scope, budget: EvaluationBudget) => Value

type PipelineStep = {
  readonly name: string
  readonly run: (value: Value, scope: Scope, budget: EvaluationBudget) => Value
}
type FilterToken = ReturnType<Tokenizer['readFilters']>[number]

/**
 * Splits a template into text and compiled expressions (rule E-01). Throws `invalid` for syntax errors, tags, unknown
 * filters, and filters with the wrong arguments.
 */
export function parseTemplate(source: string): readonly (string | CompiledOutput)[] {
  try {
    return new Tokenizer(source, {})
      .readTopLevelTokens()
      .map((token) => {
        if (TypeGuards.isTagToken(token)) throw createInvalidError('', 'must not contain a tag ({% … %})')
        return TypeGuards.isOutputToken(token) ? parseOutput(source, token.contentRange) : readHtmlText(token)
      })
      .filter((part) => part !== '')
  } catch (error) {
    if (error instanceof CofferError) throw error
    throw createSyntaxError()
  }
}

function createSyntaxError(): CofferError {
  return createInvalidError('', 'is not a valid expression')
}

function readHtmlText(token: unknown): string {
  return TypeGuards.isHTMLToken(token) ? token.getContent() : ''
}

function parseOutput(source: string, range: [number, number]): CompiledOutput {
  const tokenizer = new Tokenizer(source, {}, undefined, range)
  const { initial, filters } = tokenizer.readFilteredValue()
  if (filters.length === 0 && tokenizer.peek() === ',') {
    // The syntax `{{ data.number, reveal_last: 4 }}` means `{{ data.number | reveal_last: 4 }}` (rule T-07).
    return parseOutput(`${source.slice(0, tokenizer.p)}|${source.slice(tokenizer.p + 1)}`, range)
  }
  tokenizer.skipBlank()
  const [operand] = initial.postfix
  // SECURITY: whatever the tokenizer left unread, such as a masking filter, would be dropped silently.
  const complete = tokenizer.end() && !/\|\s*$/.test(source.slice(0, range[1]))
  if (!complete || !operand || initial.postfix.length > 1) throw createSyntaxError()
  return createPipeline(
    parseOperand(operand, source),
    filters.map((token) => parseStep(token, source)),
  )
}

function createPipeline({ read }: ExpressionOperand, steps: readonly PipelineStep[]): CompiledOutput {
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

/** Whether a filter has a result only because it treats a missing value as empty text or 0. */
function isLost(filter: string, value: Value): boolean {
  if (value === null) return true
  return (filter === 'join' || filter === 'sum') && Array.isArray(value) && toList(value).includes(null)
}

function parseStep(token: FilterToken, source: string): PipelineStep {
  const filter = findFilter(token.name)
  if (!filter) throw createInvalidError('', `has an unknown filter: ${sanitizeName(token.name)}`)
  const positional: ExpressionOperand[] = []
  const named = new Map<string, ExpressionOperand>()
  for (const arg of token.args) {
    if (!Array.isArray(arg)) positional.push(parseOperand(arg, source))
    else if (arg[0] && arg[1]) named.set(arg[0], parseOperand(arg[1], source))
    else throw createSyntaxError()
  }
  const readArgs = (scope: Scope, budget: EvaluationBudget): FilterArgs => ({
    positional: positional.map(({ read }) => read(scope, budget)),
    named: new Map([...named].map(([name, { read }]) => [name, read(scope, budget)])),
  })
  if ([...positional, ...named.values()].every(({ literal }) => literal)) {
    const run = filter.bind(readArgs({}, createEvaluationBudget(new WorkBudget(0))))
    return { name: filter.name, run: (value, _scope, budget) => run(value, budget) }
  }
  const runStep: PipelineStep['run'] = (value, scope, budget) => {
    consumeWork(budget, 64)
    const args = readArgs(scope, budget)
    if (filter.name !== 'default' && [...args.positional, ...args.named.values()].includes(null)) {
      budget.missing = true
    }
    return filter.bind(args)(value, budget)
  }
  return { name: filter.name, run: runStep }
}
