import {
  Button,
  type ComboboxItem,
  type ComboboxParsedItem,
  Group,
  PasswordInput,
  SegmentedControl,
  Select,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useEffect } from 'react'
import { useApplications } from '../../parts/access/application-names.ts'
import { strings as access } from '../../parts/access/strings.ts'
import { type ApiOperation, isMap, isRepeatable } from '../../parts/api/api-document.ts'
import { loadOperations, useOperations } from '../../parts/api/operations.ts'
import { useSession } from '../../parts/connection/session.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { useForm } from '../../parts/forms/use-form.ts'
import { startListener } from '../../parts/listener/listener.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { Caution, Failure } from '../../ui/failure.tsx'
import { Icon } from '../../ui/icon.tsx'
import { type Again, againOf } from './again.ts'
import { AnswerView } from './answer-view.tsx'
import { sendRequest, useBuilder } from './builder-store.ts'
import { checkBody } from './check-body.ts'
import { useFullRecord } from './full-record.ts'
import { RequestCode } from './request-code.tsx'
import { bodyOf, newDraft, type RequestDraft } from './request-draft.ts'
import { strings } from './strings.ts'

const t = strings.build
const OWNER = 'owner'

type Props = {
  /** The operation to start with. */
  readonly op: string | undefined
  /** The record whose request to send again. */
  readonly again: string | undefined
  readonly onPick: (op: string) => void
}

/** Builds any request of the API: fill it in, check it, send it, or copy it as code. */
export function RequestBuilder({ op, again, onPick }: Props) {
  const { operations } = useOperations()
  const { problem } = useLoaded(loadOperations)
  const { record, problem: gone } = useFullRecord(again ?? null)
  const operation =
    operations.find(({ id }) => id === op) ?? operations.find(({ id }) => id === 'tokens.create')
  const tags = [...new Set(operations.map(({ tag }) => tag))]
  if (problem !== null) return <Problem of={problem} />
  if (gone !== null) return <Failure>{gone}</Failure>
  if (!operation || (again !== undefined && record === null)) return null
  return (
    <div className="build">
      <section className="build-side" aria-label={strings.builder}>
        <div className="form">
          <Select
            label={t.operation}
            searchable
            filter={({ options, search }) => found(options, search, operations)}
            nothingFoundMessage={t.find}
            maxDropdownHeight={420}
            data={tags.map((group) => ({
              group,
              items: operations
                .filter(({ tag }) => tag === group)
                .map(({ id, method, path }) => ({ value: id, label: `${method} ${path}` })),
            }))}
            value={operation.id}
            onChange={(value) => value && onPick(value)}
            description={`${operation.summary}. ${operation.description}${operation.deprecated ? ` (${t.deprecated})` : ''}`}
          />
          <Request
            key={`${operation.id} ${again}`}
            operation={operation}
            again={
              record?.operation === operation.id ? { id: record.id, ...againOf(operation, record) } : null
            }
          />
        </div>
      </section>
      <AnswerView />
    </div>
  )
}

/** The operations that match the search, by method and path or by summary. */
function found(
  options: readonly ComboboxParsedItem[],
  search: string,
  operations: readonly ApiOperation[],
): ComboboxParsedItem[] {
  const typed = search.trim().toLowerCase()
  const summaries = new Map(operations.map(({ id, summary }) => [id, summary]))
  const fits = ({ value, label }: ComboboxItem) =>
    `${label} ${summaries.get(value)}`.toLowerCase().includes(typed)
  return options.map((option) =>
    'group' in option ? { ...option, items: option.items.filter(fits) } : option,
  )
}

type RequestProps = {
  readonly operation: ApiOperation
  readonly again: (Again & { readonly id: string }) | null
}

function Request({ operation, again }: RequestProps) {
  const form = useForm({
    initial: () => again?.draft ?? newDraft(operation),
    typed: (values) => values,
    send: (values) => sendRequest(operation, values),
  })
  const { values: draft, change } = form
  const as = again?.as
  useEffect(() => {
    if (as !== undefined) useBuilder.setState({ as, through: 'window' })
  }, [as])
  const schemas = useOperations((state) => state.schemas)
  // Drop the response of the previous operation.
  useEffect(() => () => useBuilder.setState({ answer: null }), [])
  const body = bodyOf(draft)
  const missing = operation.parameters
    .filter(({ name, required }) => required && (draft.params[name] ?? '') === '')
    .map(({ name }) => t.needs(name))
  const faults = operation.body && body !== undefined ? checkBody(body, operation.body.schema, schemas) : []
  const problems = [...missing, ...faults]
  const unread = operation.body !== null && body === undefined && draft.body.trim() !== ''
  const example = newDraft(operation).body

  return (
    <form className="form form-inner" noValidate onSubmit={form.submit}>
      {again && again.lost.length > 0 && (
        <Caution>
          {[t.again(again.id), ...again.lost.map((each) => t.lost[each])].join(' ')}
          {operation.body && draft.body === '' && (
            <Button
              className="use-example"
              size="compact-xs"
              variant="default"
              onClick={() => change({ body: example })}
            >
              {t.example}
            </Button>
          )}
        </Caution>
      )}
      {operation.parameters.length > 0 && (
        <div className="parameters">
          <Parameters operation={operation} draft={draft} onChange={change} />
        </div>
      )}
      {operation.body && (
        <Textarea
          label={again && draft.body === example ? t.exampleBody : t.body}
          classNames={{ input: 'mono' }}
          autosize
          minRows={4}
          maxRows={20}
          spellCheck={false}
          value={draft.body}
          error={unread && t.notJson}
          onChange={(event) => change({ body: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.submit()
          }}
        />
      )}
      {problems.length > 0 && (
        <ul className="problems">
          {problems.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      )}
      <Sender />
      <Group>
        <Button
          type="submit"
          loading={form.state === 'running'}
          leftSection={<Icon name="play" size={14} />}
          disabled={unread}
        >
          {t.send}
        </Button>
      </Group>
      <Problem of={form.problem} />
      <RequestCode operation={operation} draft={draft} />
    </form>
  )
}

type ParametersProps = {
  readonly operation: ApiOperation
  readonly draft: RequestDraft
  readonly onChange: (draft: RequestDraft) => void
}

function Parameters({ operation, draft, onChange }: ParametersProps) {
  return operation.parameters.map((parameter) => {
    const { name, schema } = parameter
    const value = draft.params[name] ?? ''
    const change = (text: string) => onChange({ ...draft, params: { ...draft.params, [name]: text } })
    if (Array.isArray(schema.enum)) {
      return (
        <Select
          key={name}
          label={name}
          clearable
          data={schema.enum.map(String)}
          value={value === '' ? null : value}
          onChange={(picked) => change(picked ?? '')}
        />
      )
    }
    return (
      <TextInput
        key={name}
        label={name}
        className={parameter.required ? 'form-wide' : undefined}
        placeholder={isMap(parameter) || isRepeatable(parameter) ? (isMap(parameter) ? t.pair : 'a, b') : ''}
        required={parameter.required}
        classNames={{ input: 'mono' }}
        spellCheck={false}
        value={value}
        onChange={(event) => change(event.currentTarget.value)}
      />
    )
  })
}

function Sender() {
  const { through, as, key } = useBuilder()
  const { applications } = useApplications()
  const listener = useSession((session) => session.status?.listener.state)
  return (
    <>
      <div className="send-row">
        <div>
          <div className="field-label">{t.through}</div>
          <SegmentedControl
            aria-label={t.through}
            data={[
              { value: 'window', label: t.throughs.window },
              { value: 'listener', label: t.throughs.listener },
            ]}
            value={through}
            onChange={(value) => useBuilder.setState({ through: value })}
          />
        </div>
        {through === 'window' ? (
          <Select
            className="grow"
            label={t.as}
            searchable
            data={[
              { value: OWNER, label: access.actors.owner },
              ...applications.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            value={as ?? OWNER}
            onChange={(value) => useBuilder.setState({ as: value === OWNER ? null : value })}
          />
        ) : (
          <PasswordInput
            className="grow"
            label={t.key}
            placeholder={t.keyHelp}
            autoComplete="off"
            value={key}
            onChange={(event) => useBuilder.setState({ key: event.currentTarget.value.trim() })}
          />
        )}
      </div>
      {through === 'listener' && listener !== 'on' && (
        <Group gap="sm">
          <span className="dim">{t.listenerOff}</span>
          <Button size="compact-xs" variant="default" onClick={() => startListener()}>
            {t.start}
          </Button>
        </Group>
      )}
    </>
  )
}
