import { NumberInput, SegmentedControl, Select, Switch, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { isNumber, isObject, type Json, type JsonObject, readJson } from '../../../shared/json.ts'
import type { Schema } from '../../parts/api/api-document.ts'
import { resolve } from './check-body.ts'
import { strings } from './strings.ts'

const t = strings.build
const ways = ['raw', 'form'] as const

type Props = {
  readonly label: string
  readonly body: string
  readonly schema: Schema
  readonly schemas: JsonObject
  readonly error: string | false
  readonly onChange: (body: string) => void
}

/** The body: as JSON text, or a field for each of its members. Both edit the same text. */
export function BodyField({ label, body, schema, schemas, error, onChange }: Props) {
  const [way, setWay] = useState<(typeof ways)[number]>('raw')
  const value = way === 'form' ? objectIn(body) : null
  return (
    <div>
      <div className="body-head">
        <span className="field-label">{label}</span>
        <SegmentedControl
          size="xs"
          aria-label={t.bodyAs}
          data={ways.map((each) => ({ value: each, label: t.bodyWays[each] }))}
          value={way}
          onChange={setWay}
        />
      </div>
      {way === 'form' && value ? (
        <Members value={value} schema={resolve(schema, schemas)} schemas={schemas} onChange={onChange} />
      ) : (
        <>
          {way === 'form' && <p className="dim">{t.noForm}</p>}
          <Textarea
            aria-label={label}
            classNames={{ input: 'mono' }}
            autosize
            minRows={4}
            maxRows={20}
            spellCheck={false}
            value={body}
            error={error}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
        </>
      )}
    </div>
  )
}

/** The object that a text holds; an empty text counts as an empty one. Null if it holds something else. */
function objectIn(text: string): JsonObject | null {
  try {
    const value = text.trim() === '' ? {} : readJson(text)
    return isObject(value) ? value : null
  } catch {
    // It is being typed, or meant to be malformed.
    return null
  }
}

type MembersProps = {
  readonly value: JsonObject
  readonly schema: Schema
  readonly schemas: JsonObject
  readonly onChange: (body: string) => void
}

function Members({ value, schema, schemas, onChange }: MembersProps) {
  const known = isObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  const names = [...new Set([...Object.keys(known), ...Object.keys(value)])]
  const change = (name: string, to: Json | undefined) => {
    const { [name]: _, ...others } = value
    // In the place that the member had.
    const next = to === undefined ? others : Object.fromEntries(Object.entries({ ...value, [name]: to }))
    onChange(JSON.stringify(next, null, 2))
  }
  return (
    <div className="body-members">
      {names.map((name) => {
        const own = known[name]
        return (
          <Member
            key={name}
            name={name}
            value={value[name]}
            schema={isObject(own) ? withoutNull(own, schemas) : {}}
            required={required.includes(name)}
            onChange={(to) => change(name, to)}
          />
        )
      })}
    </div>
  )
}

/** The schema of a member that may be null too: leaving it out says the same. */
function withoutNull(schema: Schema, schemas: JsonObject): Schema {
  const resolved = resolve(schema, schemas)
  const others = (Array.isArray(resolved.anyOf) ? resolved.anyOf : [])
    .filter(isObject)
    .filter(({ type }) => type !== 'null')
  const [only] = others
  return only && others.length === 1 ? resolve(only, schemas) : resolved
}

type MemberProps = {
  readonly name: string
  readonly value: Json | undefined
  readonly schema: Schema
  readonly required: boolean
  /** Undefined takes the member out. */
  readonly onChange: (value: Json | undefined) => void
}

function Member({ name, value, schema, required, onChange }: MemberProps) {
  const types = [schema.type].flat()
  if (Array.isArray(schema.enum) && (value === undefined || typeof value === 'string')) {
    return (
      <Select
        label={name}
        required={required}
        clearable
        data={schema.enum.map(String)}
        value={value ?? null}
        onChange={(picked) => onChange(picked ?? undefined)}
      />
    )
  }
  if (types.includes('boolean') && (value === undefined || typeof value === 'boolean')) {
    return (
      <Switch
        label={name}
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    )
  }
  if (isAmong(types, ['integer', 'number']) && (value === undefined || isNumber(value))) {
    return (
      <NumberInput
        label={name}
        required={required}
        value={value === undefined ? '' : Number(String(value))}
        onChange={(typed) => onChange(typeof typed === 'number' ? typed : undefined)}
      />
    )
  }
  if (types.includes('string') && (value === undefined || typeof value === 'string')) {
    return (
      <TextInput
        label={name}
        required={required}
        spellCheck={false}
        classNames={{ input: 'mono' }}
        value={value ?? ''}
        onChange={(event) => onChange(event.currentTarget.value || undefined)}
      />
    )
  }
  return <AsJson name={name} value={value} required={required} onChange={onChange} />
}

function isAmong(types: readonly unknown[], wanted: readonly string[]): boolean {
  return types.some((type) => wanted.some((each) => each === type))
}

/** Any other member as JSON; what is no JSON yet stays in the field. */
function AsJson({ name, value, required, onChange }: Omit<MemberProps, 'schema'>) {
  const written = value === undefined ? '' : JSON.stringify(value, null, 2)
  const [typed, setTyped] = useState<string | null>(null)
  return (
    <Textarea
      className="form-wide"
      label={name}
      required={required}
      description={t.asJson}
      classNames={{ input: 'mono' }}
      autosize
      minRows={1}
      maxRows={10}
      spellCheck={false}
      value={typed ?? written}
      error={typed !== null && t.notJson}
      onChange={(event) => {
        const text = event.currentTarget.value
        try {
          onChange(text.trim() === '' ? undefined : readJson(text))
          setTyped(null)
        } catch {
          // Still being typed.
          setTyped(text)
        }
      }}
    />
  )
}
