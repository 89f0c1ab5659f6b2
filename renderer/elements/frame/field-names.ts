import type { ElementOptions, ElementType } from '../protocol.ts'

export type FieldName = 'number' | 'expiration' | 'code' | 'text'

export type InputType = Exclude<ElementType, 'copyButton'>

export const fieldsByType: { readonly [type in InputType]: readonly FieldName[] } = {
  card: ['number', 'expiration', 'code'],
  cardNumber: ['number'],
  cardExpirationDate: ['expiration'],
  cardVerificationCode: ['code'],
  text: ['text'],
}

/** The names that events use for a card's inputs. */
export const cardTargets: { readonly [part in FieldName]: string } = {
  number: 'cardNumber',
  expiration: 'expirationDate',
  code: 'cvc',
  text: 'text',
}

const labels: { readonly [part in FieldName]: string } = {
  number: 'Card number',
  expiration: 'Expiration date',
  code: 'CVC',
  text: 'Text',
}

const placeholders: { readonly [part in FieldName]: string } = {
  number: '1234 1234 1234 1234',
  expiration: 'MM/YY',
  code: 'CVC',
  text: '',
}

const toOptionalString = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** Returns the option of one input. A card may have an object with one member for each input. */
function pickForField(option: unknown, member: string): unknown {
  if (typeof option !== 'object' || option === null) return option
  return (option as { readonly [member: string]: unknown })[member]
}

/**
 * Returns the label, placeholder and `autocomplete` of an input, from the options. `codeName` is the brand's
 * name for the verification code.
 */
export function getFieldTexts(
  part: FieldName,
  options: ElementOptions,
  codeName: string | undefined,
): { label: string; placeholder: string; autoComplete: string } {
  const own = part === 'code' ? codeName : undefined
  const placeholderMember = {
    number: 'cardNumber',
    expiration: 'cardExpirationDate',
    code: 'cardSecurityCode',
    text: '',
  }
  const autoCompleteMember = { number: 'number', expiration: 'expirationDate', code: 'csc', text: '' }
  const placeholder = toOptionalString(pickForField(options.placeholder, placeholderMember[part]))
  return {
    label:
      toOptionalString(options['aria-label']) ??
      own ??
      (part === 'text' ? (placeholder ?? labels.text) : labels[part]),
    placeholder: placeholder ?? own ?? placeholders[part],
    autoComplete: toOptionalString(pickForField(options.autoComplete, autoCompleteMember[part])) ?? 'off',
  }
}
