import { Box, Combobox, Pill, PillsInput, useCombobox } from '@mantine/core'
import { type ComponentProps, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { Icon, type IconName } from '../icon.tsx'
import { strings } from '../strings.ts'
import { MarkedSpan } from '../text/marked-span.tsx'
import { MarkedText } from '../text/marked-text.tsx'
import styles from './filter-field.module.css'

const t = strings.filter
/** The least time between texts that apply, so that fast typing does not apply each of them. */
const APPLY_PAUSE_MS = 60

/** A filter that applies. */
type FieldChip = {
  readonly icon: IconName
  readonly kind: string
  readonly text: string
  /** Whether rows that match are left out. */
  readonly isNot?: boolean
  readonly onRemove: () => void
  /** Turns the filter into its opposite. */
  readonly onToggle?: () => void
}

/** A filter that the typed text suggests. */
export type FilterOption = {
  readonly kind: string
  readonly text: string
  /** Returns the text to continue with; without one, the field is emptied. */
  readonly onChoose: () => string | undefined
}

type FilterTextOptions = {
  /** The text that applies. */
  readonly applied: string
  /** Applies typed text, finally on Enter. Returns the text that stays in the field. */
  readonly onApply: (text: string, isFinal: boolean) => string
}

/** The typed text of a filter field, which applies at once, or after a pause since the last text that applied. */
export function useFilterText({ applied, onApply }: FilterTextOptions) {
  const [text, setText] = useState(applied)
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const input = text.trim()
  // The last text applied by this field. When the applied text changes to this value, text typed since then must
  // stay.
  const sent = useRef(applied)
  const sentAt = useRef(Number.NEGATIVE_INFINITY)
  // Applies through a ref, so that the effect runs only when the input changes. If it also ran when rows change, an
  // open form would ask again about unsaved input.
  const apply = useRef<(typed: string, isFinal: boolean) => void>(() => {})
  apply.current = (typed, isFinal) => {
    sent.current = typed
    sentAt.current = performance.now()
    const left = onApply(typed, isFinal)
    if (left === typed) return
    sent.current = left
    setText(left)
  }
  useEffect(() => {
    if (applied !== sent.current) setText(applied)
    sent.current = applied
  }, [applied])
  useEffect(() => {
    if (input === applied) return
    const pause = sentAt.current + APPLY_PAUSE_MS - performance.now()
    const timer = setTimeout(() => apply.current(input, false), pause)
    return () => clearTimeout(timer)
  }, [input, applied])
  return {
    text,
    input,
    combobox,
    setText,
    applyNow: () => apply.current(input, true),
    /** Replaces the text after a suggestion was chosen. */
    continueWith(next: string) {
      setText(next)
      sent.current = next === '' ? '' : applied
    },
  }
}

type Props = {
  readonly typing: ReturnType<typeof useFilterText>
  readonly label: string
  readonly chips: readonly FieldChip[]
  readonly options: readonly FilterOption[]
  /** Shown below the suggestions, and without any. */
  readonly note?: string | null
  readonly field: RefObject<HTMLInputElement | null>
  /** Moves the focus to the rows. */
  readonly onLeave: () => void
}

/** One search box for all filters of a list: filters as chips, then text, then suggestions for it. */
export function FilterField({ typing, label, chips, options, note = null, field, onLeave }: Props) {
  const { text, input, combobox, setText, applyNow, continueWith } = typing
  const isOpen = combobox.dropdownOpened && (options.length > 0 || note !== null)
  function chooseOption(at: string) {
    const next = options[Number(at)]?.onChoose()
    if (next === undefined) combobox.closeDropdown()
    continueWith(next ?? '')
    combobox.resetSelectedOption()
  }
  function handleKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    if (event.nativeEvent.isComposing) return
    const last = chips.at(-1)
    if (event.key === 'Backspace' && text === '' && last) {
      event.preventDefault()
      last.onRemove()
    } else if (event.key === 'Enter' && combobox.getSelectedOptionIndex() < 0) {
      combobox.closeDropdown()
      applyNow()
    } else if (event.key === 'Escape') handleEscape(event)
  }
  function handleEscape(event: KeyboardEvent<HTMLInputElement>): void {
    event.stopPropagation()
    if (isOpen) combobox.closeDropdown()
    else if (text !== '') setText('')
    else {
      // If there are no rows, Escape moves the focus to the screen.
      event.currentTarget.closest('main')?.focus({ preventScroll: true })
      onLeave()
    }
  }
  return (
    <Combobox store={combobox} onOptionSubmit={chooseOption} withinPortal={false} shadow="md">
      <Combobox.DropdownTarget>
        <PillsInput
          className={styles.root}
          classNames={{ input: styles.input }}
          leftSection={<Icon name="search" size={14} />}
          onClick={() => {
            field.current?.focus()
            combobox.openDropdown()
          }}
        >
          <Pill.Group gap={4}>
            {chips.map((chip) => (
              <Chip key={`${chip.isNot} ${chip.kind} ${chip.text}`} chip={chip} />
            ))}
            <Combobox.EventsTarget>
              <Field
                ref={field}
                isOpen={isOpen}
                aria-label={label}
                aria-autocomplete="list"
                placeholder={chips.length === 0 ? label : t.more}
                value={text}
                spellCheck={false}
                onChange={(event) => {
                  setText(event.currentTarget.value)
                  combobox.resetSelectedOption()
                  combobox.openDropdown()
                }}
                onBlur={() => combobox.closeDropdown()}
                onKeyDown={handleKeyDown}
              />
            </Combobox.EventsTarget>
          </Pill.Group>
        </PillsInput>
      </Combobox.DropdownTarget>
      <Combobox.Dropdown hidden={!isOpen}>
        <Combobox.Options aria-label={t.suggestions} mah={320} className={styles.options}>
          {options.map(({ kind, text: offered }, at) => (
            <Combobox.Option key={`${kind} ${offered}`} value={`${at}`}>
              <span className={styles.option}>
                <span className={styles.kind}>{kind}</span>
                <MarkedSpan className="clip" text={offered} />
              </span>
            </Combobox.Option>
          ))}
        </Combobox.Options>
        {note !== null && (
          <Box className="dim" p="6px 10px" fz={12}>
            {note}
          </Box>
        )}
      </Combobox.Dropdown>
      <span className="visually-hidden" role="status">
        {isOpen && input !== '' && t.offered(options.length)}
      </span>
    </Combobox>
  )
}

type FieldProps = Omit<ComponentProps<typeof PillsInput.Field>, 'type'> & { readonly isOpen: boolean }

/** Announces whether there are suggestions, because Mantine reports an empty list as expanded. */
function Field({ isOpen, ...props }: FieldProps) {
  return <PillsInput.Field {...props} role="combobox" aria-expanded={isOpen} />
}

function Chip({ chip: { icon, kind, text, isNot = false, onRemove, onToggle } }: { chip: FieldChip }) {
  const name = `${isNot ? t.not(kind) : kind} ${text}`
  const words = (
    <>
      <Icon name={icon} size={12} />
      <span className={styles.kind}>{isNot ? t.not(kind) : kind}</span>
      <span className="clip" title={text}>
        <MarkedText text={text} />
      </span>
    </>
  )
  return (
    <span className={styles.chip} data-not={isNot || undefined}>
      {onToggle ? (
        <button
          type="button"
          className={`unstyled ${styles.words}`}
          title={isNot ? t.include : t.exclude}
          onClick={(event) => {
            event.stopPropagation()
            onToggle()
          }}
        >
          {words}
        </button>
      ) : (
        words
      )}
      <button
        type="button"
        className={styles.remove}
        aria-label={t.remove(name)}
        onClick={(event) => {
          event.stopPropagation()
          onRemove()
        }}
      >
        <Icon name="close" size={10} />
      </button>
    </span>
  )
}
