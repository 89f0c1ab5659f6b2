import { CofferError, createInvalidError } from '../../../../shared/errors.ts'
import type { Json } from '../../../../shared/json.ts'
import type { Permission } from '../../../../shared/permissions.ts'
import type { RuleTransform } from '../../../../shared/schemas/rule.ts'
import { decideReading, type Grant, type Subject } from '../../access/access.ts'
import { createEvaluationBudget, MAX_VALUE, measureSize } from '../../expressions/bounds.ts'
import { compileExpression, evaluateWithin, type Scope, withErrorPath } from '../../expressions/template.ts'
import type { Context } from '../../pipeline/context.ts'
import { expressionSources, isSourceKind, type SourceKind } from '../detokenize/sources.ts'
import { formatUnknownIds } from '../detokenize/unknown-ids.ts'
import { applyTransform, openData, resolveMask, toTokenWith } from '../tokens/read/present.ts'
import { toSubject } from '../tokens/read/require-token.ts'
import { findToken, findUsedToken } from '../tokens/store.ts'
import type { ExpressionHead, ProxyExpression } from './expressions.ts'
import { appendAll, findLongSecrets } from './secrets.ts'

/** The rules for inserting token values: how many, and with which permissions. */
export type TokenUse = {
  /** The maximum number of tokens and token intents that expressions name, or of such expressions, in a call. */
  readonly limit: { readonly of: 'tokens' | 'expressions'; readonly number: number }
  /** The permissions that allow inserting a token's value. One of them is enough. */
  readonly using: readonly Permission[]
  /** Set if the owner may insert values. SECURITY: only for values in code, never for what is sent or displayed. */
  readonly byOwner?: true
}

/** The rules for a call through a proxy (rule G-05). */
const callTokenUse: TokenUse = { limit: { of: 'tokens', number: 20 }, using: ['proxy:invoke', 'token:use'] }

/** A token, or something else of `expressionSources`, whose value was inserted, and the transform applied to it. */
export type InsertedToken = {
  readonly id: string
  /** Absent for a token. */
  readonly source?: SourceKind
  readonly transform: RuleTransform
}

/** Looks up the values that the expressions of one call name (rules G-05, F-03). */
export class ExpressionValues {
  /** The ids of the tokens and token intents that were read, in order. */
  readonly ids: string[] = []
  readonly used: InsertedToken[] = []
  /** Strings to redact, even if no expression uses them (rule G-07). */
  readonly secrets: string[] = []
  readonly #context: Context
  readonly #configuration: Readonly<Record<string, string>>
  readonly #use: TokenUse
  readonly #values = new Map<string, Json>()
  readonly #tokenNames = new Set<string>()
  #expressionCount = 0

  constructor(
    context: Context,
    configuration: Readonly<Record<string, string>>,
    use: TokenUse = callTokenUse,
  ) {
    this.#context = context
    this.#configuration = configuration
    this.#use = use
  }

  /**
   * Looks up the values that these expressions name. Throws `forbidden` if a permission is missing, and `invalid` for
   * too many tokens or expressions, for unknown tokens (all in one error), and for missing configuration entries.
   */
  lookUpAll(expressions: readonly ProxyExpression[], path: string): void {
    this.#countExpressions(expressions, path)
    const unknown = new Set<string>()
    for (const { head } of expressions) {
      const name = toLookupKey(head)
      if (this.#values.has(name)) continue
      const value = this.#lookUp(head, path)
      if (value === undefined && 'id' in head) unknown.add(head.id)
      else this.#values.set(name, value ?? null)
    }
    if (unknown.size > 0) {
      throw new CofferError('invalid', `Failed to detokenize some tokens: ${formatUnknownIds(unknown)}`)
    }
  }

  /** Evaluates an expression of `lookUpAll` with the variables of `scope`. Throws `invalid` at `path`. */
  evaluateExpression({ head, source }: ProxyExpression, scope: Scope, path: string): Json {
    const data = this.#values.get(toLookupKey(head)) ?? null
    // SECURITY: all expressions of a call share its work budget, so that repeating a large token cannot circumvent
    // the limit.
    const { work } = this.#context
    const fullScope = head.kind === 'variable' ? scope : { ...scope, data }
    return withErrorPath(
      () => path,
      () => {
        const value = evaluateWithin(
          createEvaluationBudget(work),
          compileExpression(work, source, ''),
          fullScope,
        )
        // Serializing the value consumes work too, as in `WorkBudget.stringifyJson`.
        work.consume(measureSize(value, MAX_VALUE) / 4)
        return value
      },
    )
  }

  #countExpressions(expressions: readonly ProxyExpression[], path: string): void {
    const { limit } = this.#use
    for (const { head } of expressions) {
      if (!('id' in head)) continue
      this.#expressionCount++
      this.#tokenNames.add(`${isSourceKind(head.kind) ? head.kind : 'token'}:${head.id}`)
    }
    const isTokens = limit.of === 'tokens'
    if ((isTokens ? this.#tokenNames.size : this.#expressionCount) > limit.number) {
      const limitName = isTokens ? 'tokens' : 'expressions that name a token'
      throw createInvalidError(path, `uses more than ${limit.number} ${limitName} in one request`)
    }
  }

  #lookUp(head: ExpressionHead, path: string): Json | undefined {
    if (head.kind === 'config') {
      const { name } = head
      if (!Object.hasOwn(this.#configuration, name))
        throw createInvalidError(path, 'names a configuration entry that does not exist')
      return this.#configuration[name] ?? null
    }
    if (head.kind === 'variable' || head.kind === 'transform') return null
    this.ids.push(head.id)
    return isSourceKind(head.kind)
      ? this.#readSource(head.kind, head.id)
      : this.#readToken(head.id, head.kind)
  }

  #addSecrets(data: Json): void {
    appendAll(this.secrets, findLongSecrets(data))
  }

  #readToken(id: string, kind: 'data' | 'token'): Json | undefined {
    const context = this.#context
    const fullToken = kind === 'token' ? findToken(context.db, id, context.now) : undefined
    const row = fullToken ?? findUsedToken(context.db, id, context.now)
    if (!row) return undefined
    const { transform } = requireUse(context, this.#use, toSubject(row))
    this.used.push({ id, transform })
    const data = openData(context, row)
    this.#addSecrets(data)
    if (fullToken) return toTokenWith(context, fullToken, data, transform) as Json
    const mask = transform === 'mask' ? resolveMask(row, data) : null
    return applyTransform(context, context.work, transform, data, mask) ?? null
  }

  /** SECURITY: the access rules apply as to a token in the container that the source names. */
  #readSource(source: SourceKind, id: string): Json | undefined {
    const context = this.#context
    const found = expressionSources[source](context, id)
    if (!found) return undefined
    const { transform } = requireUse(context, this.#use, found.subject)
    this.used.push({ id: found.id, source, transform })
    const data = found.openData()
    this.#addSecrets(data)
    return found.presentValue(data, transform, context.work) as Json
  }
}

/**
 * Returns the transform that now applies to a value that was inserted into an earlier call; null if the token no
 * longer exists. Throws `forbidden`.
 */
export function findUsableTransform(
  context: Context,
  { id, source }: InsertedToken,
  use: TokenUse,
): RuleTransform | null {
  const subject =
    source === undefined ? findTokenSubject(context, id) : expressionSources[source](context, id)?.subject
  return subject ? requireUse(context, use, subject).transform : null
}

function findTokenSubject({ db, now }: Context, id: string): Subject | undefined {
  const row = findUsedToken(db, id, now)
  return row && toSubject(row)
}

function toLookupKey(head: ExpressionHead): string {
  if (head.kind === 'config' || head.kind === 'variable') return `${head.kind}:${head.name}`
  return head.kind === 'transform' ? `transform:${head.identifier}` : `${head.kind}:${head.id}`
}

function requireUse({ actor }: Context, { using, byOwner }: TokenUse, subject: Subject): Grant {
  const grant = actor.kind === 'owner' ? getOwnerGrant(byOwner) : decideReading(actor, using, subject)
  if (grant) return grant
  throw new CofferError(
    'forbidden',
    `Neither ${using.join(' nor ')} is granted on the containers of a token.`,
    {
      missing: { permissions: using, containers: subject.containers },
    },
  )
}

function getOwnerGrant(byOwner: true | undefined): Grant | null {
  return byOwner ? { transform: 'reveal', rule: null } : null
}
