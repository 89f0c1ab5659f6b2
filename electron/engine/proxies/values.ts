import { CofferError, invalid } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/json.ts'
import type { Permission } from '../../../shared/permissions.ts'
import type { Transform } from '../../../shared/schemas/rule.ts'
import { decideReading, type Grant, type Subject } from '../access/access.ts'
import { listedIds } from '../detokenize/unknown-ids.ts'
import type { Context } from '../door/context.ts'
import { MAX_VALUE, newBudget, sizeOf } from '../expressions/bounds.ts'
import { at, compile, evaluateWithin, type Scope } from '../expressions/template.ts'
import { openIntentData, toTokenIntent } from '../tokens/intents/present.ts'
import { findTokenIntent } from '../tokens/intents/store.ts'
import { maskOf, openData, toTokenWith, transformed } from '../tokens/read/present.ts'
import { subjectOf } from '../tokens/read/require-token.ts'
import { findToken, findUsedToken } from '../tokens/store.ts'
import { defaultMaskFor, requireType, rulesOf } from '../tokens/types/types.ts'
import type { Head, ProxyExpression } from './expressions.ts'
import { addTo, longSecretsIn } from './secrets.ts'

/** Who may put which tokens where. */
export type Use = {
  /** How many tokens and intents one call may name, or how many expressions that name one. */
  readonly most: { readonly of: 'tokens' | 'expressions'; readonly number: number }
  /** Any of these lets a caller put a token into a call. */
  readonly using: readonly Permission[]
  /** SECURITY: the owner puts tokens into code alone, never into what is sent or shown. */
  readonly byOwner?: true
}

/** Into a call through a proxy (rule G-05). */
const intoCalls: Use = { most: { of: 'tokens', number: 20 }, using: ['proxy:invoke', 'token:use'] }

/** A token or an intent that was put in, and how it was shown. */
export type Used = { readonly id: string; readonly intent: boolean; readonly transform: Transform }

/** What the expressions of one call read (rules G-05, F-03). */
export class Values {
  /** The ids of the tokens and intents that were read, in order. */
  readonly ids: string[] = []
  readonly used: Used[] = []
  /** Texts of what was read that must not be shown, whatever part of it an expression takes (rule G-07). */
  readonly secrets: string[] = []
  readonly #context: Context
  readonly #configuration: Readonly<Record<string, string>>
  readonly #use: Use
  readonly #known = new Map<string, Json>()
  readonly #named = new Set<string>()
  #expressions = 0

  constructor(context: Context, configuration: Readonly<Record<string, string>>, use: Use = intoCalls) {
    this.#context = context
    this.#configuration = configuration
    this.#use = use
  }

  /**
   * Looks up what these expressions name. Throws `invalid` for more of them than a call may have, for tokens that do not
   * exist, all of them in one error, and for missing entries of the configuration; `forbidden`.
   */
  find(expressions: readonly ProxyExpression[], path: string): void {
    this.#count(expressions, path)
    const unknown = new Set<string>()
    for (const { head } of expressions) {
      const name = nameOf(head)
      if (this.#known.has(name)) continue
      const value = this.#lookUp(head, path)
      if (value === undefined && 'id' in head) unknown.add(head.id)
      else this.#known.set(name, value ?? null)
    }
    if (unknown.size > 0) {
      throw new CofferError('invalid', `Failed to detokenize some tokens: ${listedIds(unknown)}`)
    }
  }

  /** The value of an expression that `find` was given. `scope` holds its variables. Throws `invalid` at `path`. */
  evaluate({ head, source }: ProxyExpression, scope: Scope, path: string): Json {
    const data = this.#known.get(nameOf(head)) ?? null
    // SECURITY: all expressions of a call share its work, so repeating a large token gains nothing.
    const { work } = this.#context
    const whole = head.kind === 'variable' ? scope : { ...scope, data }
    return at(
      () => path,
      () => {
        const value = evaluateWithin(newBudget(work), compile(work, source, ''), whole)
        // Writing it out is work too, as in `Work.textOf`.
        work.spend(sizeOf(value, MAX_VALUE) / 4)
        return value
      },
    )
  }

  #count(expressions: readonly ProxyExpression[], path: string): void {
    const { most } = this.#use
    for (const { head } of expressions) {
      if (!('id' in head)) continue
      this.#expressions++
      this.#named.add(`${head.kind === 'token_intent' ? 'intent' : 'token'}:${head.id}`)
    }
    const isTokens = most.of === 'tokens'
    if ((isTokens ? this.#named.size : this.#expressions) > most.number) {
      const what = isTokens ? 'tokens' : 'expressions with a token'
      throw invalid(path, `has more than ${most.number} ${what} in one request`)
    }
  }

  #lookUp(head: Head, path: string): Json | undefined {
    if (head.kind === 'config') {
      const { name } = head
      if (!Object.hasOwn(this.#configuration, name))
        throw invalid(path, 'names an entry that the configuration lacks')
      return this.#configuration[name] ?? null
    }
    if (head.kind === 'variable' || head.kind === 'transform') return null
    this.ids.push(head.id)
    return head.kind === 'token_intent' ? this.#intent(head.id) : this.#token(head.id, head.kind)
  }

  #hide(data: Json): void {
    addTo(this.secrets, longSecretsIn(data))
  }

  #token(id: string, kind: 'data' | 'token'): Json | undefined {
    const context = this.#context
    const whole = kind === 'token' ? findToken(context.db, id, context.now) : undefined
    const row = whole ?? findUsedToken(context.db, id, context.now)
    if (!row) return undefined
    const { transform } = requireUse(context, this.#use, subjectOf(row))
    this.used.push({ id, intent: false, transform })
    const data = openData(context, row)
    this.#hide(data)
    if (whole) return toTokenWith(context, whole, data, transform) as Json
    const mask = transform === 'mask' ? maskOf(row, data) : null
    return transformed(context, context.work, transform, data, mask) ?? null
  }

  /** SECURITY: a token intent is used like the default token that it would become. */
  #intent(id: string): Json | undefined {
    const context = this.#context
    const row = findTokenIntent(context.db, id.toLowerCase(), context.now)
    if (!row) return undefined
    const type = requireType(row.type)
    const { transform } = requireUse(context, this.#use, intentSubject(row))
    this.used.push({ id: row.id, intent: true, transform })
    const data = openIntentData(context, row)
    this.#hide(data)
    const shown = transformed(context, context.work, transform, data, defaultMaskFor(type, data))
    return { ...toTokenIntent(context, row), ...(shown !== undefined && { data: shown }) } as Json
  }
}

/** How a caller may put in now what it has put in before; null if that is gone. Throws `forbidden`. */
export function usableNow(context: Context, { id, intent }: Used, use: Use): Transform | null {
  const { db, now } = context
  const row = intent ? findTokenIntent(db, id, now) : findUsedToken(db, id, now)
  if (!row) return null
  return requireUse(context, use, 'containers' in row ? subjectOf(row) : intentSubject(row)).transform
}

function intentSubject({ id, type }: { readonly id: string; readonly type: string }): Subject {
  return { id, containers: [rulesOf[requireType(type)].container] }
}

function nameOf(head: Head): string {
  if (head.kind === 'config' || head.kind === 'variable') return `${head.kind}:${head.name}`
  return head.kind === 'transform' ? `transform:${head.identifier}` : `${head.kind}:${head.id}`
}

function requireUse({ actor }: Context, { using, byOwner }: Use, subject: Subject): Grant {
  const grant = actor.kind === 'owner' ? ownersGrant(byOwner) : decideReading(actor, using, subject)
  if (grant) return grant
  throw new CofferError(
    'forbidden',
    `Neither ${using.join(' nor ')} is granted on the containers of a token.`,
    {
      missing: { permissions: using, containers: subject.containers },
    },
  )
}

function ownersGrant(byOwner: true | undefined): Grant | null {
  return byOwner ? { transform: 'reveal', rule: null } : null
}
