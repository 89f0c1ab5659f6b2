import { isNameable } from '../../../../shared/conversions.ts'
import type { Json } from '../../../../shared/json.ts'
import type { ImportMapping, ImportPreview } from '../../../../shared/schemas/transfer.ts'
import type { TokenType } from '../../../../shared/token-types.ts'
import { strings } from './strings.ts'

const t = strings.columns

export type Target = keyof typeof t.targets

/** How the rows of a file become tokens. */
export type Choice = {
  /** The type of every token, unless a column contains it. */
  readonly type: TokenType
  /** The container of every token, unless a column contains it; empty for the type's default. */
  readonly container: string
  /** Targets by column; skipped columns are absent. */
  readonly targets: Readonly<Record<string, Target>>
  /** Metadata keys by column, where they differ from the column's name. */
  readonly keys?: Readonly<Record<string, string>>
}

const ofToken = ['id', 'type', 'containers', 'expires_at'] as const satisfies readonly Target[]
const ofCard = [
  'data.number',
  'data.expiration',
  'data.expiration_month',
  'data.expiration_year',
  'data.cvc',
] as const
const ofBank = ['data.routing_number', 'data.account_number'] as const
const wholeData = ['data'] as const
const members = ['data.*', 'data.* | number', 'data.* | boolean'] as const
const anyShape = ['data', ...members] as const
const manyColumns: readonly Target[] = [...members, 'metadata']

const dataTargets = {
  card: ofCard,
  network_token: ['data.number', 'data.expiration_month', 'data.expiration_year'],
  bank: ofBank,
  card_number: wholeData,
  us_bank_account_number: wholeData,
  us_bank_routing_number: wholeData,
  social_security_number: wholeData,
  employer_id_number: wholeData,
  token: anyShape,
} as const satisfies Record<TokenType, readonly Target[]>

/** Whether a column contains the type of each token. */
export function hasTypeColumn({ targets }: Pick<Choice, 'targets'>): boolean {
  return Object.values(targets).includes('type')
}

export function listTargetGroups(choice: Choice): readonly { group: string; items: readonly Target[] }[] {
  const data: readonly Target[] = hasTypeColumn(choice) ? anyShape : dataTargets[choice.type]
  return [
    { group: t.groups.data, items: data },
    { group: t.groups.token, items: ofToken },
    { group: t.groups.metadata, items: ['metadata'] },
  ]
}

/** Removes the targets that do not apply to the chosen type. */
export function removeUnfitTargets(choice: Choice): Choice {
  const possible = listTargetGroups(choice).flatMap(({ items }) => items)
  const targets = Object.entries(choice.targets).filter(([, target]) => possible.includes(target))
  return { ...choice, targets: Object.fromEntries(targets) }
}

/**
 * Changes the type. For a card, a column that was mapped to the token's expiry is mapped to the card's
 * expiry, because the vault deletes a token when it expires.
 */
export function withType(choice: Choice, type: TokenType): Choice {
  const { targets } = removeUnfitTargets({ ...choice, type })
  if (type !== 'card') return { ...choice, type, targets }
  const ofCard = Object.entries(targets).map(([column, target]) => [
    column,
    target === 'expires_at' ? 'data.expiration' : target,
  ])
  return { ...choice, type, targets: Object.fromEntries(ofCard) }
}

/** Prefixes that export files put before the name of a card's property. */
const ofCards = '([a-z]*(card|cc|payment|method|source|instrument|data))?'
const expires = 'exp(r|ire|ires|iry|iration)?'

/** Column names and the targets they suggest. Names are compared in lower case, without separators. */
const columnPatterns: readonly (readonly [Target, RegExp])[] = [
  [
    'data.number',
    /^(data)?((card|full|primaryaccount)?pan|primaryaccountnumber|([a-z]*(credit|payment(method)?|source|debit))?card(no|num|nr|number)?|cc(no|num|number)?|number)$/,
  ],
  ['data.expiration_month', new RegExp(`^(${ofCards}${expires}(date)?|(data)?(card)?)(mm|mo|mon|month)$`)],
  ['data.expiration_year', new RegExp(`^(${ofCards}${expires}(date)?|(data)?(card)?)(yy|yyyy|yr|year)$`)],
  [
    'data.expiration',
    new RegExp(
      `^${ofCards}((dateof)?${expires}(date|dt|on)?(mmyy|mmyyyy|monthyear)?|(valid|good)(date|to|thru|through|till?|until)|mmyy(yy)?)$`,
    ),
  ],
  ['data.cvc', /^(data)?(card)?(cvc2?|cvv2?|cvn|securitycode|verificationcode)$/],
  ['data.routing_number', /^(data)?(bank)?(aba|routing)(no|num|nr|number)?$/],
  ['data.account_number', /^(data)?(bank)?account(no|num|nr|number)?$/],
  ['id', /^(token)?(id)$/],
  ['type', /^(token)?type$/],
  ['containers', /^containers?$/],
  // Only names that clearly mean the token's expiry.
  ['expires_at', /^(expiresat|token(expires|expiresat|expiry|expiration))$/],
  [
    'metadata',
    /^(metadata.+|(customer|user|order|invoice|merchant|shop|external|source)(id|ref|no|number)?|ref|reference|source|tag|note)$/,
  ],
]
const socialSecurity = /^(ssn|socialsecurity(no|number)?)$/
const employerId = /^(ein|employerid(no|number)?|taxid)$/
const anyData = /^(data|value|secret|plaintext)$/

/**
 * Guesses the targets of columns from their names. SECURITY: an unknown column is skipped, or encrypted if the token
 * type allows any member as data. It is never mapped to metadata automatically, because every list shows metadata.
 */
export function guessChoice({ columns }: Pick<ImportPreview, 'columns'>): Choice {
  const normalized = columns.map(
    (column) => [column, column.toLowerCase().replace(/[^a-z0-9]/g, '')] as const,
  )
  const names = normalized.map(([, name]) => name)
  const type = guessType(names)
  const possible: readonly Target[] = dataTargets[type]
  const isFreeForm = type === 'token' && !hasTarget(names, 'type') && !hasColumn(names, anyData)
  const taken = new Set<Target>()
  const targets: Record<string, Target> = {}
  for (const [column, name] of normalized) {
    // A mapping cannot name a column that starts with a dollar sign.
    if (column === '' || column.startsWith('$') || !isNameable(column)) continue
    const target = guessTarget(name, type, possible) ?? (isFreeForm ? 'data.*' : undefined)
    if (!target || (taken.has(target) && !manyColumns.includes(target))) continue
    taken.add(target)
    targets[column] = target
  }
  return removeUnfitTargets({ type, container: '', targets: keepOneExpiry(targets) })
}

function hasColumn(names: readonly string[], pattern: RegExp): boolean {
  return names.some((name) => pattern.test(name))
}

function hasTarget(names: readonly string[], target: Target): boolean {
  return columnPatterns.some(([each, pattern]) => each === target && hasColumn(names, pattern))
}

function guessType(names: readonly string[]): TokenType {
  if (hasTarget(names, 'data.number')) return 'card'
  if (hasTarget(names, 'data.account_number') && hasTarget(names, 'data.routing_number')) return 'bank'
  if (hasColumn(names, socialSecurity)) return 'social_security_number'
  return hasColumn(names, employerId) ? 'employer_id_number' : 'token'
}

function guessTarget(name: string, type: TokenType, possible: readonly Target[]): Target | undefined {
  const found = columnPatterns.find(
    ([target, pattern]) =>
      pattern.test(name) && isPossible(target, possible) && !(type === 'card' && isNeverForCard(target)),
  )
  if (found) return found[0]
  const isAllData = [socialSecurity, employerId, anyData].some((pattern) => pattern.test(name))
  return isAllData && possible.includes('data') ? 'data' : undefined
}

/**
 * SECURITY: for a card, these targets are never guessed: a token expiry would delete the card, and a type
 * column usually contains its brand.
 */
function isNeverForCard(target: Target): boolean {
  return target === 'expires_at' || target === 'type'
}

/**
 * Maps a card's expiry only once: to the separate month and year columns if both exist, or else to the combined column.
 */
function keepOneExpiry(targets: Readonly<Record<string, Target>>): Record<string, Target> {
  const all = Object.values(targets)
  const parts: readonly Target[] = ['data.expiration_month', 'data.expiration_year']
  const skipped: readonly Target[] = parts.every((part) => all.includes(part))
    ? ['data.expiration']
    : all.includes('data.expiration')
      ? parts
      : []
  return Object.fromEntries(Object.entries(targets).filter(([, target]) => !skipped.includes(target)))
}

function isPossible(target: Target, data: readonly Target[]): boolean {
  return !target.startsWith('data') || data.includes(target)
}

/** Whether the first line of a CSV file looks like values rather than column names. */
export function hasValuesAsNames(columns: readonly string[]): boolean {
  return columns.some((column) => /^[\d\s-]{3,}$/.test(column))
}

/** The columns that are not stored in any token. */
export function findSkippedColumns({ targets }: Choice, columns: readonly string[]): string[] {
  return columns.filter((column) => !(column in targets))
}

/** Whether lists show the column's values, so that the preview may show them too. */
export function isReadable(target: Target | undefined): boolean {
  return target === 'metadata' || ofToken.some((each) => each === target)
}

export function getMetadataKey({ keys = {} }: Choice, column: string): string {
  return keys[column] ?? removePrefix(column, 'metadata')
}

/** Why a choice is not a valid mapping; null if it is valid. */
export function describeProblem(choice: Choice): string | null {
  const { targets } = choice
  const all = Object.values(targets)
  if (!all.some((target) => target.startsWith('data'))) return t.needsData
  const twice = all.find((target, at) => all.indexOf(target) < at && !manyColumns.includes(target))
  if (twice) return t.twice(t.targets[twice])
  if (all.includes('data') && all.some((target) => target.startsWith('data.'))) return t.mixed
  if (
    all.includes('data.expiration') &&
    (all.includes('data.expiration_month') || all.includes('data.expiration_year'))
  ) {
    return t.twoExpiries
  }
  const keys = Object.keys(targets).flatMap((column) =>
    targets[column] === 'metadata' ? [getMetadataKey(choice, column).trim()] : [],
  )
  if (keys.includes('')) return t.emptyKey
  const same = keys.find((key, at) => keys.indexOf(key) < at)
  return same === undefined ? null : t.sameKey(same)
}

type Mapping = ImportMapping & { readonly type: Json; readonly data: Json }

/** Converts a choice to the mapping format of `coffer import --map`. */
export function toImportMapping(choice: Choice): Mapping {
  const { type, container, targets } = choice
  const data: Record<string, Json> = {}
  const metadata: Record<string, Json> = {}
  let mapping: Mapping = { type, data }
  if (container.trim() !== '') mapping = { ...mapping, containers: [container.trim()] }
  for (const [column, target] of Object.entries(targets)) {
    const value = `$${column}`
    if (target === 'metadata') metadata[getMetadataKey(choice, column).trim()] = value
    else if (target.startsWith('data.*')) {
      data[removePrefix(column, 'data')] = value + target.slice('data.*'.length)
    } else if (target === 'data.expiration') {
      data.expiration_month = `${value} | month`
      data.expiration_year = `${value} | year`
    } else if (target === 'containers') mapping = { ...mapping, containers: [value] }
    else if (target.startsWith('data.')) data[target.slice('data.'.length)] = value
    else mapping = { ...mapping, [target]: value }
  }
  return { ...mapping, ...(Object.keys(metadata).length > 0 && { metadata }) }
}

function removePrefix(column: string, prefix: string): string {
  const hasPrefix = column.toLowerCase().startsWith(prefix) && /^[._ ]./s.test(column.slice(prefix.length))
  return hasPrefix ? column.slice(prefix.length + 1) : column
}
