import type { EditorView } from '@codemirror/view'
import { Group, TextInput } from '@mantine/core'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Icon } from '../../icon.tsx'
import { IconButton } from '../../icon-buttons.tsx'
import { useKeys } from '../../keys/use-keys.ts'
import { strings } from '../../strings.ts'
import { MarkedText } from '../marked-text.tsx'
import styles from './code-editor.module.css'
import { Editor } from './editor.tsx'
import { findMatches, MAX_MATCHES, showMatches } from './find-in-text.ts'
import { createJsonLanguage } from './json-language.ts'
import type { JsonEditorProps, JsonFault } from './json-props.ts'
import { scanJson, type TextRange } from './json-scan.ts'

const t = strings.json

type Props = JsonEditorProps & { readonly describedBy: string | undefined }

/** The editor of JSON, with its faults at their places and below, or with a search if it is read-only. */
export function JsonCore({ label, value, onChange, onRun, faults = [], hints, describedBy }: Props) {
  const latest = useRef(hints)
  latest.current = hints
  const [view, setView] = useState<EditorView | null>(null)
  const [language] = useState(() => createJsonLanguage(() => latest.current))
  const placed = useMemo(() => placeFaults(value, faults), [value, faults])
  return (
    <>
      {!onChange && <FindBar label={label} text={value} view={view} />}
      <Editor
        label={label}
        describedBy={describedBy}
        value={value}
        onChange={onChange}
        onRun={onRun}
        errors={placed.map(({ range }) => range).filter((range) => range !== null)}
        language={language}
        onView={setView}
      />
      <div className={styles.faults} role="status">
        <ul>
          {placed.map(({ message, line }) => (
            <li key={`${line} ${message}`}>
              {line !== null && `${t.line(line)}: `}
              <MarkedText text={message} />
            </li>
          ))}
        </ul>
      </div>
    </>
  )
}

type PlacedFault = {
  readonly message: string
  readonly range: TextRange | null
  readonly line: number | null
}

/** Finds the places of faults. What has none, such as a missing member, is at the beginning of the object around it. */
function placeFaults(text: string, faults: readonly JsonFault[]): PlacedFault[] {
  if (faults.length === 0) return []
  const places = scanJson(text)
  return faults.map((fault) => {
    const range = findRange(fault, places)
    const line = range && text.slice(0, range.from).split('\n').length
    return { message: fault.message, range, line }
  })
}

function findRange(
  { path, isName = false }: JsonFault,
  places: ReturnType<typeof scanJson>,
): TextRange | null {
  const { values, names, errorAt } = places
  if (path === null) return errorAt === null ? null : { from: errorAt, to: errorAt + 1 }
  const range = isName ? names.get(path) : values.get(path)
  if (range || path === 'body') return range ?? null
  return findRange({ path: /^(.*)[.[]/.exec(path)?.[1] ?? 'body', message: '' }, places)
}

/** Searches the text: Enter goes to the next match, Shift+Enter to the previous one. */
function FindBar({ label, text, view }: { label: string; text: string; view: EditorView | null }) {
  const [term, setTerm] = useState('')
  const [at, setAt] = useState(0)
  const input = useRef<HTMLInputElement>(null)
  const matches = useMemo(() => findMatches(text, term), [text, term])
  useEffect(() => {
    if (view) showMatches(view, matches, at)
  }, [view, matches, at])
  useKeys({ 'mod+f': () => input.current?.select(), '/': () => input.current?.select() })
  const moveMatch = (by: number) =>
    matches.length > 0 && setAt((before) => (before + by + matches.length) % matches.length)
  return (
    <Group gap={6} flex="none" wrap="nowrap">
      <TextInput
        ref={input}
        type="search"
        size="xs"
        flex={1}
        maw={280}
        aria-label={t.find(label.toLowerCase())}
        placeholder={t.find(label.toLowerCase())}
        leftSection={<Icon name="search" size={12} />}
        value={term}
        onChange={(event) => {
          setTerm(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            event.preventDefault()
            moveMatch(event.shiftKey ? -1 : 1)
          } else if (event.key === 'Escape') {
            event.preventDefault()
            if (term === '') event.currentTarget.blur()
            setTerm('')
          }
        }}
      />
      <span className="faint" role="status">
        {term !== '' && t.found(matches.length === 0 ? 0 : at + 1, matches.length, MAX_MATCHES)}
      </span>
      {matches.length > 1 && (
        <>
          <IconButton icon="up" label={t.previous} size={22} color="gray" onClick={() => moveMatch(-1)} />
          <IconButton icon="down" label={t.next} size={22} color="gray" onClick={() => moveMatch(1)} />
        </>
      )}
    </Group>
  )
}
