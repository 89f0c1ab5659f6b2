import { Button, Group, PasswordInput, SegmentedControl, Select, Textarea, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { JsonObject } from '../../../shared/json.ts'
import { useApplications } from '../../parts/access/application-names.ts'
import { strings as access } from '../../parts/access/strings.ts'
import { type ApiOperation, isMap, isRepeatable } from '../../parts/api/api-document.ts'
import { useOperations } from '../../parts/api/operations.ts'
import { useSession } from '../../parts/connection/session.ts'
import { useForm } from '../../parts/forms/use-form.ts'
import { startListener } from '../../parts/listener/listener.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { Caution } from '../../ui/failure.tsx'
import formStyles from '../../ui/form.module.css'
import { Icon } from '../../ui/icon.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { markText } from '../../ui/text/marked-text.tsx'
import { BodyField } from './body-field.tsx'
import { type BuilderPrefill, fillVariables, sendRequest, useBuilder } from './builder-store.ts'
import { checkBody } from './check-body.ts'
import { useDrafts } from './drafts-store.ts'
import { Environments } from './environments.tsx'
import { sentHeaders } from './import-curl.ts'
import { RequestCode } from './request-code.tsx'
import {
  createRequestDraft,
  formatRequestPath,
  parseDraftBody,
  parseHeaders,
  type RequestDraft,
} from './request-draft.ts'
import type { RequestSnapshot } from './request-snapshot.ts'
import styles from './requests.module.css'
import type { ResendDraft } from './resend.ts'
import { SaveRequest } from './save-request.tsx'
import { strings } from './strings.ts'

const t = strings.build
const OWNER = 'owner'

/** A request of the log, to send it again. */
export type RepeatedRequest = ResendDraft & { readonly id: string }

type Props = {
  readonly operation: ApiOperation
  readonly again: RepeatedRequest | null
  readonly prefill: BuilderPrefill | null
  readonly onImport: () => void
}

/** The fields of one request, with its faults and the buttons that send or save it. */
export function RequestForm({ operation, again, prefill, onImport }: Props) {
  const form = useForm({
    initial: () => prefill?.draft ?? again?.draft ?? createRequestDraft(operation),
    getUnsavedInput: (values) => values,
    send: (values) => sendRequest(operation, values),
  })
  const { values: draft, change } = form
  const { through, as: sender } = useBuilder()
  const [saving, setSaving] = useState(false)
  const as = again?.as
  const repeats = again?.through
  useEffect(() => {
    if (as !== undefined) useBuilder.setState({ as, through: repeats ?? 'window' })
  }, [as, repeats])
  const schemas = useOperations((state) => state.schemas)
  // Load the environments, because the selected one affects the request.
  useDrafts()
  // Clear the response of the previous operation.
  useEffect(() => () => useBuilder.setState({ response: null }), [])
  const { filled, problems, bodyError, headerError } = checkRequest(operation, draft, schemas, through)
  // The window sends parsed JSON; only the listener accepts malformed text.
  const cannotSend = (bodyError !== false && through === 'window') || headerError !== undefined
  useKeys({ 'mod+enter': () => !cannotSend && form.submit() })
  const example = createRequestDraft(operation).body
  const createSnapshot = (): RequestSnapshot => ({
    operation: operation.id,
    method: operation.method,
    path: formatRequestPath(operation, draft),
    draft,
    through,
    as: sender,
  })

  return (
    <form className={`${formStyles.root} ${formStyles.inner}`} noValidate onSubmit={form.submit}>
      {prefill && prefill.notes.length > 0 && <Caution>{prefill.notes.join(' ')}</Caution>}
      {again && (
        <RepeatNotes
          again={again}
          onExample={operation.body && draft.body === '' ? () => change({ body: example }) : null}
        />
      )}
      {operation.parameters.length > 0 && (
        <div className={styles.parameters}>
          <Parameters operation={operation} draft={draft} onChange={change} />
        </div>
      )}
      {operation.body && (
        <BodyField
          label={again && !again.isSent && draft.body === example ? t.exampleBody : t.body}
          body={draft.body}
          schema={operation.body.schema}
          schemas={schemas}
          error={bodyError}
          onChange={(text) => change({ body: text })}
        />
      )}
      {problems.length > 0 && (
        <ul className={`bullets ${styles.problems}`}>
          {problems.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      )}
      <Environments />
      <Sender />
      {through === 'listener' && (
        <Textarea
          label={t.moreHeaders}
          description={t.headersHelp(sentHeaders.join(', '))}
          placeholder="svc-idempotency-key: order-17"
          classNames={{ input: 'mono' }}
          autosize
          minRows={1}
          spellCheck={false}
          value={draft.headers ?? ''}
          error={headerError}
          onChange={(event) => change({ headers: event.currentTarget.value })}
        />
      )}
      <Group>
        <Button
          type="submit"
          loading={form.state === 'running'}
          leftSection={<Icon name="play" size={14} />}
          disabled={cannotSend}
        >
          {t.send}
        </Button>
        <ActionButton label={t.save} onClick={() => setSaving(true)} />
        <ActionButton icon="terminal" label={t.import} onClick={onImport} />
      </Group>
      <Problem of={form.problem} />
      <RequestCode operation={operation} draft={filled} />
      {saving && <SaveRequest request={createSnapshot()} onClose={() => setSaving(false)} />}
    </form>
  )
}

function checkRequest(
  operation: ApiOperation,
  draft: RequestDraft,
  schemas: JsonObject,
  through: RequestSnapshot['through'],
) {
  const filled = fillVariables(draft)
  const body = parseDraftBody(filled)
  const missing = operation.parameters
    .filter(({ name, required }) => required && (draft.params[name] ?? '') === '')
    .map(({ name }) => t.needs(name))
  const faults = operation.body && body !== undefined ? checkBody(body, operation.body.schema, schemas) : []
  const isUnread = operation.body !== null && body === undefined && draft.body.trim() !== ''
  return {
    filled,
    problems: [...missing, ...faults],
    bodyError: isUnread && (through === 'window' ? t.notJson : t.malformed),
    headerError: findHeaderErrors(filled)[0],
  }
}

type RepeatNotesProps = {
  readonly again: RepeatedRequest
  /** Fills in the example body; null if the form has a body, or takes none. */
  readonly onExample: (() => void) | null
}

/** Says how far the form is the request that the log recorded. */
function RepeatNotes({ again, onExample }: RepeatNotesProps) {
  return (
    <>
      {again.isSent && <p className="dim">{t.isSent(again.id)}</p>}
      {again.lost.length > 0 && (
        <Caution>
          {[t.again(again.id), ...again.lost.map((each) => t.lost[each])].join(' ')}
          {onExample && (
            <ActionButton label={t.example} display="block" mt={6} size="compact-xs" onClick={onExample} />
          )}
        </Caution>
      )}
    </>
  )
}

function findHeaderErrors(draft: RequestDraft): string[] {
  return parseHeaders(draft).flatMap((header) => {
    if (header === null) return [t.notHeader]
    return sentHeaders.some((name) => name === header[0]) ? [] : [t.otherHeader(header[0])]
  })
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
    const changeParameter = (text: string) =>
      onChange({ ...draft, params: { ...draft.params, [name]: text } })
    if (Array.isArray(schema.enum)) {
      return (
        <Select
          key={name}
          label={name}
          clearable
          data={schema.enum.map(String)}
          value={value === '' ? null : value}
          onChange={(picked) => changeParameter(picked ?? '')}
        />
      )
    }
    return (
      <TextInput
        key={name}
        label={name}
        className={parameter.required ? formStyles.wide : undefined}
        placeholder={isMap(parameter) || isRepeatable(parameter) ? (isMap(parameter) ? t.pair : 'a, b') : ''}
        required={parameter.required}
        classNames={{ input: 'mono' }}
        spellCheck={false}
        value={value}
        onChange={(event) => changeParameter(event.currentTarget.value)}
      />
    )
  })
}

function Sender() {
  const { through, as, key } = useBuilder()
  const { rows: applications } = useApplications()
  const listener = useSession((session) => session.status?.listener.state)
  return (
    <>
      <div className={styles.sendRow}>
        <div>
          <div className={formStyles.label}>{t.through}</div>
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
            className={styles.grow}
            label={t.as}
            searchable
            data={[
              { value: OWNER, label: access.actors.owner },
              ...applications.map(({ id, name }) => ({ value: id, label: markText(name) })),
            ]}
            value={as ?? OWNER}
            onChange={(value) => useBuilder.setState({ as: value === OWNER ? null : value })}
          />
        ) : (
          <PasswordInput
            className={styles.grow}
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
          <ActionButton label={t.start} size="compact-xs" onClick={() => startListener()} />
        </Group>
      )}
    </>
  )
}
