import { isNumber, type Json, MAX_NUMBER_LENGTH, toJsonNumber } from './json.ts'

/** The conversions that a mapping can use, as in `$age | number`, and what each requires of a value. */
const expectations = {
  number: 'must be a number such as 12 or -0.5',
  boolean: 'must be true or false, yes or no, 1 or 0',
  month: 'must be the expiry of a card, such as 07/31, 07/2031, 0731, 2031-07 or 2031-07-31',
  year: 'must be the expiry of a card, such as 07/31, 07/2031, 0731, 2031-07 or 2031-07-31',
} as const
export type Conversion = keyof typeof expectations

const conversions = Object.keys(expectations) as readonly Conversion[]

/** A column named in a mapping, and how to convert its values. */
export type MappedColumn = { readonly column: string; readonly conversion?: Conversion }

const converted = new RegExp(`^(.+?) *\\| *(${conversions.join('|')})$`, 's')

/** Parses a string of a mapping, such as `$age | number`. Returns undefined for a literal string. */
export function parseMappedColumn(text: string): MappedColumn | undefined {
  if (!text.startsWith('$') || text.startsWith('$$') || text.length === 1) return undefined
  const [, column, conversion] = converted.exec(text.slice(1)) ?? []
  if (column === undefined) return { column: text.slice(1) }
  return { column, conversion: conversion as Conversion }
}

/** Whether a mapping can refer to a column with this name. */
export function isNameable(column: string): boolean {
  return parseMappedColumn(`$${column}`)?.column === column
}

/** Says what a conversion requires, such as `must be a number`, without the value (rule A-05). */
export function describeExpectation(conversion: Conversion): string {
  return expectations[conversion]
}

/** Converts the value of a column; undefined if it cannot be converted. */
export function convertValue(value: Json, conversion: Conversion): Json | undefined {
  if (conversion === 'number' && isNumber(value)) return value
  if (conversion === 'boolean' && typeof value === 'boolean') return value
  if (typeof value !== 'string' && !isNumber(value)) return undefined
  const text = String(value).trim()
  if (conversion === 'number') return parseNumericText(text)
  if (conversion === 'boolean') return parseBoolean(text)
  return parseExpiry(text)[conversion] ?? parseExpiryPart(text, conversion)
}

function parseNumericText(text: string): Json | undefined {
  const isNumeric = text.length <= MAX_NUMBER_LENGTH && /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(text)
  return isNumeric ? toJsonNumber(text) : undefined
}

function parseBoolean(text: string): boolean | undefined {
  if (/^(true|yes|1)$/i.test(text)) return true
  return /^(false|no|0)$/i.test(text) ? false : undefined
}

const month = '(?<month>0?[1-9]|1[0-2])'
const century = '(?<year>(?:19|20)\\d\\d)'
const day = '(?:0?[1-9]|[12]\\d|3[01])'

/**
 * The formats of an expiry in card exports. No string matches two patterns with different results, because no month
 * begins with 19 or 20.
 */
const expiryPatterns = [
  new RegExp(`^${month} ?[/.\\- ] ?${century}$`),
  new RegExp(`^${month} ?[/.\\- ] ?(?<short>\\d\\d)$`),
  new RegExp(`^${century}([/.-])${month}(?:\\2${day}(?:[T ][\\d:.+Z-]+)?)?$`),
  // A spreadsheet drops the leading zero of 0731.
  new RegExp(`^${month}(?<short>\\d\\d)$`),
  new RegExp(`^(?<month>0[1-9]|1[0-2])${century}$`),
  new RegExp(`^${century}(?<month>0[1-9]|1[0-2])$`),
]

type ParsedExpiry = { readonly month?: number; readonly year?: number }

/** Parses the expiry of a card; empty if the text is none. Two-digit years are in this century. */
function parseExpiry(text: string): ParsedExpiry {
  for (const pattern of expiryPatterns) {
    const { month, year, short } = pattern.exec(text)?.groups ?? {}
    if (month !== undefined) return { month: Number(month), year: Number(year ?? `20${short}`) }
  }
  return {}
}

/** Parses a month or a year without the other. */
function parseExpiryPart(text: string, part: keyof ParsedExpiry): number | undefined {
  if (part === 'month') return new RegExp(`^${month}$`).test(text) ? Number(text) : undefined
  if (new RegExp(`^${century}$`).test(text)) return Number(text)
  return /^\d\d$/.test(text) ? Number(`20${text}`) : undefined
}
