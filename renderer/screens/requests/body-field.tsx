import { Group, NumberInput, SegmentedControl, Select, Switch, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { isNumber, isObject, type Json, type JsonObject, readJson } from '../../../shared/json.ts'
import type { JsonSchema } from '../../parts/api/api-document.ts'
import formStyles from '../../ui/form.module.css'
import { resolveSchema } from './check-body.ts'
import styles from './requests.module.css'
import { strings } from './strings.ts'

const t = strings.build
const bodyFormats = ['raw', 'form'] as const

type Props = {
  readonly label: string
  readonly body: string
  readonly schema: JsonSchema
  readonly schemas: JsonObject
  readonly error: string | false
  readonly onChange: (body: string) => void
}

/** Edits the body as JSON text, or with one field per member. Both edit the same text. */
export function BodyField({ label, body, schema, schemas, error, onChange }: Props) {
  const [format, setFormat] = useState<(typeof bodyFormats)[number]>('raw')
  const value = format === 'form' ? parseObject(body) : null
  return (
    <div>
      <Group justify="space-between" gap={0} mb={4} wrap="nowrap">
        <span className={formStyles.label}>{label}</span>
        <SegmentedControl
          size="xs"
          aria-label={t.bodyAs}
          data={bodyFormats.map((each) => ({ value: each, label: t.bodyFormats[each] }))}
          value={format}
          onChange={setFormat}
        />
      </Group>
      {format === 'form' && value ? (
        <Members
          value={value}
          schema={resolveSchema(schema, schemas)}
          schemas={schemas}
          onChange={onChange}
        />
      ) : (
        <>
          {format === 'form' && <p className="dim">{t.noForm}</p>}
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

/** Parses a JSON object; empty text is an empty object. Null for anything else. */
function parseObject(text: string): JsonObject | null {
  try {
    const value = text.trim() === '' ? {} : readJson(text)
    return isObject(value) ? value : null
  } catch {
    // The JSON is not complete yet, or deliberately malformed.
    return null
  }
}

type BodyMembersProps = {
  readonly value: JsonObject
  readonly schema: JsonSchema
  readonly schemas: JsonObject
  readonly onChange: (body: string) => void
}

function Members({ value, schema, schemas, onChange }: BodyMembersProps) {
  const known = isObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  const names = [...new Set([...Object.keys(known), ...Object.keys(value)])]
  const changeMember = (name: string, to: Json | undefined) => {
    const { [name]: _, ...rest } = value
    // Keeps the member's position.
    const next = to === undefined ? rest : Object.fromEntries(Object.entries({ ...value, [name]: to }))
    onChange(JSON.stringify(next, null, 2))
  }
  return (
    <div className={styles.bodyMembers}>
      {names.map((name) => {
        const own = known[name]
        return (
          <Member
            key={name}
            name={name}
            value={value[name]}
            schema={isObject(own) ? removeNull(own, schemas) : {}}
            required={required.includes(name)}
            onChange={(to) => changeMember(name, to)}
          />
        )
      })}
    </div>
  )
}

/** Removes null from the schema of a nullable member, because omitting the member has the same effect. */
function removeNull(schema: JsonSchema, schemas: JsonObject): JsonSchema {
  const resolved = resolveSchema(schema, schemas)
  const alternatives = (Array.isArray(resolved.anyOf) ? resolved.anyOf : [])
    .filter(isObject)
    .filter(({ type }) => type !== 'null')
  const [only] = alternatives
  return only && alternatives.length === 1 ? resolveSchema(only, schemas) : resolved
}

type MemberProps = {
  readonly name: string
  readonly value: Json | undefined
  readonly schema: JsonSchema
  readonly required: boolean
  /** Undefined removes the member. */
  readonly onChange: (value: Json | undefined) => void
}

function Member({ name, value, schema, required, onChange }: MemberProps) {
  const types = [schema.type].flat()
  const isText = value === undefined || typeof value === 'string'
  if (Array.isArray(schema.enum) && isText) {
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
  if (types.includes('boolean') && ['undefined', 'boolean'].includes(typeof value)) {
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
        onChange={(input) => onChange(typeof input === 'number' ? input : undefined)}
      />
    )
  }
  if (types.includes('string') && isText) {
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

function isAmong(types: readonly unknown[], expected: readonly string[]): boolean {
  return types.some((type) => expected.some((each) => each === type))
}

/** Edits, as JSON, a member that has no dedicated field. Invalid JSON stays in the field. */
function AsJson({ name, value, required, onChange }: Omit<MemberProps, 'schema'>) {
  const written = value === undefined ? '' : JSON.stringify(value, null, 2)
  const [input, setInput] = useState<string | null>(null)
  return (
    <Textarea
      className={formStyles.wide}
      label={name}
      required={required}
      description={t.asJson}
      classNames={{ input: 'mono' }}
      autosize
      minRows={1}
      maxRows={10}
      spellCheck={false}
      value={input ?? written}
      error={input !== null && t.notJson}
      onChange={(event) => {
        const text = event.currentTarget.value
        try {
          onChange(text.trim() === '' ? undefined : readJson(text))
          setInput(null)
        } catch {
          // The JSON is not complete yet.
          setInput(text)
        }
      }}
    />
  )
}
