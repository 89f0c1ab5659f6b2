import {
  type BasisTheoryElements,
  type Brand,
  type CardElementStyle,
  CardExpirationDateElement,
  CardNumberElement,
  CardVerificationCodeElement,
  type ChangeEvent,
  type FieldError,
  type ICardExpirationDateElement,
  type ICardNumberElement,
  type ICardVerificationCodeElement,
  type InputKeydownEvent,
} from '@basis-theory/react-elements'
import { type ReactNode, type RefObject, useState, useSyncExternalStore } from 'react'

type CardFieldsProps = {
  readonly bt: BasisTheoryElements
  readonly number: RefObject<ICardNumberElement | null>
  readonly expiry: RefObject<ICardExpirationDateElement | null>
  readonly code: RefObject<ICardVerificationCodeElement | null>
  readonly disabled: boolean
  /** Submits the form. Enter pressed in a frame does not submit it by itself. */
  readonly onEnter: () => void
}

type FieldState = { readonly isFocused?: boolean; readonly error?: FieldError['type'] | undefined }

/** The three inputs of a card, each in its own frame from Coffer. */
export function CardFields({ bt, number, expiry, code, disabled, onEnter }: CardFieldsProps) {
  const style = useElementStyle()
  const [brand, setBrand] = useState<Brand>('unknown')
  const [states, setStates] = useState<Record<string, FieldState>>({})
  const note = (id: string, state: FieldState) =>
    setStates((before) => ({ ...before, [id]: { ...before[id], ...state } }))
  const shared = (id: string) => ({
    bt,
    id,
    style,
    disabled,
    onFocus: () => note(id, { isFocused: true }),
    onBlur: () => note(id, { isFocused: false }),
    onChange: ({ errors }: ChangeEvent) => note(id, { error: errors?.[0]?.type }),
    onKeyDown: ({ key }: InputKeydownEvent) => key === 'Enter' && onEnter(),
  })
  const numberProps = shared('number')
  return (
    <div className="fields">
      <Field label="Card number" {...states.number}>
        <CardNumberElement
          {...numberProps}
          ref={number}
          autoComplete="cc-number"
          onChange={(event) => {
            setBrand(event.cardBrand)
            numberProps.onChange(event)
          }}
        />
      </Field>
      <Field label="Expiry date" {...states.expiry}>
        <CardExpirationDateElement {...shared('expiry')} ref={expiry} autoComplete="cc-exp" />
      </Field>
      <Field label="Security code" {...states.code}>
        <CardVerificationCodeElement {...shared('code')} ref={code} autoComplete="cc-csc" cardBrand={brand} />
      </Field>
    </div>
  )
}

/** The visible label and error message. Screen readers get both from the frame itself, so they are hidden here. */
function Field({ label, isFocused, error, children }: FieldState & { label: string; children: ReactNode }) {
  return (
    <div className={`field ${isFocused ? 'focused' : ''} ${error ?? ''}`}>
      <span className="label" aria-hidden="true">
        {label}
      </span>
      <div className="box">{children}</div>
      {error && (
        <span className="error" aria-hidden="true">
          {error === 'incomplete' ? 'Incomplete' : 'Invalid'}
        </span>
      )}
    </div>
  )
}

const dark = matchMedia('(prefers-color-scheme: dark)')

/** The page's styles do not apply inside frames, so these are passed to the elements. */
function useElementStyle(): CardElementStyle {
  const isDark = useSyncExternalStore(
    (onChange) => {
      dark.addEventListener('change', onChange)
      return () => dark.removeEventListener('change', onChange)
    },
    () => dark.matches,
  )
  return isDark ? styles.dark : styles.light
}

const styles = {
  light: styleWith('#1b1f24', '#6a7380', '#c92a2a'),
  dark: styleWith('#e6e8eb', '#98a1ad', '#ff8787'),
}

function styleWith(text: string, dim: string, wrong: string): CardElementStyle {
  return {
    base: {
      color: text,
      fontFamily: 'system-ui, sans-serif',
      fontSize: '16px',
      '::placeholder': { color: dim },
    },
    invalid: { color: wrong },
  }
}
