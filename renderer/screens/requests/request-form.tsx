import { Box, Button } from '@mantine/core'
import { useEffect, useMemo, useState } from 'react'
import type { JsonObject } from '../../../shared/json.ts'
import type { ApiOperation } from '../../parts/api/api-document.ts'
import { useOperations } from '../../parts/api/operations.ts'
import { useForm } from '../../parts/forms/use-form.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { Caution, Failure } from '../../ui/failure.tsx'
import { MonoArea } from '../../ui/fields/mono-fields.tsx'
import { useLayout } from '../../ui/grid/layouts.ts'
import { Icon } from '../../ui/icon.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { Key } from '../../ui/keys/keys.tsx'
import { saveKey } from '../../ui/keys/save-key.ts'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { Splitter } from '../../ui/splitter.tsx'
import { JsonEditor } from '../../ui/text/editor/json-editor.tsx'
import type { JsonFault } from '../../ui/text/editor/json-props.ts'
import { createBodyHints } from './body-hints.ts'
import {
  type BuilderPrefill,
  describeDraft,
  fillVariables,
  sendRequest,
  startForm,
  useBuilder,
} from './builder-store.ts'
import { checkBody } from './check-body.ts'
import { CopyMenu } from './copy-menu.tsx'
import { useDrafts } from './drafts-store.ts'
import {
  type EditedEnvironment,
  EnvironmentDialog,
  Environments,
  Sender,
  SenderKey,
} from './environments.tsx'
import { type Address, sentHeaders } from './import-curl.ts'
import { ImportDialog } from './import-dialog.tsx'
import { OperationPicker } from './operation-picker.tsx'
import { Parameters, useHintContext } from './parameters.tsx'
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
import { ResponseView } from './response-view.tsx'
import { SaveRequest, StoredRequests } from './stored-requests.tsx'
import { strings } from './strings.ts'

const t = strings.build
/** The name under which the widths are stored. */
const LAYOUT = 'Send a request'
const HALF = 50
/** A stored width is a whole number that is at least 40. */
const SCALE = 10

/** A request of the log, to send it again. */
export type RepeatedRequest = ResendDraft & { readonly id: string }

type Props = {
  readonly operation: ApiOperation
  readonly again: RepeatedRequest | null
  /** Why the request to repeat cannot be read; null if it can. */
  readonly problem: string | null
  readonly prefill: BuilderPrefill | null
  readonly onPick: (op: string, params?: Address['params'] | null) => void
}

type OpenDialog =
  | { readonly of: 'save' }
  | { readonly of: 'import'; readonly command: string }
  | { readonly of: 'environment'; readonly edited: EditedEnvironment }

/** One request: the bar that sends it, its parts on the left, and the response on the right. */
export function RequestForm({ operation, again, problem, prefill, onPick }: Props) {
  const form = useForm({
    initial: () => prefill?.draft ?? again?.draft ?? createRequestDraft(operation),
    getUnsavedInput: (values) => values,
    send: (values) => sendRequest(operation, values),
  })
  const { values: draft, change } = form
  const { through, as: sender } = useBuilder()
  const { operations } = useOperations()
  const [dialog, setDialog] = useState<OpenDialog | null>(null)
  const [address, setAddress] = useState<string | null>(null)
  const [{ widths = {} }, onLayout] = useLayout(LAYOUT)
  const width = (widths.request ?? HALF * SCALE) / SCALE
  const as = again?.as
  const repeats = again?.through
  useEffect(() => {
    if (as !== undefined) useBuilder.setState({ as, through: repeats ?? 'window' })
  }, [as, repeats])
  useEffect(() => startForm, [])
  const check = useChecked(operation, draft)
  // The address that is shown would not be the one that is sent.
  const cannotSend = check.cannotSend || address !== null
  useKeys({ 'mod+enter': () => !cannotSend && form.submit() })
  const closeDialog = () => setDialog(null)
  return (
    <>
      <form className={styles.build} noValidate onSubmit={form.submit}>
        <div className={styles.buildBar}>
          <Environments onEdit={(edited) => setDialog({ of: 'environment', edited })} />
          <OperationPicker
            operations={operations}
            value={operation}
            address={formatRequestPath(operation, draft)}
            query={address}
            onPick={onPick}
            onQuery={setAddress}
            onCurl={(command) => setDialog({ of: 'import', command })}
          />
          <Sender />
          <Button
            type="submit"
            aria-keyshortcuts="Control+Enter Meta+Enter"
            loading={form.state === 'running'}
            leftSection={<Icon name="play" size={14} />}
            disabled={cannotSend}
          >
            {t.send}
            <span aria-hidden className={styles.sendKey}>
              <Key of="mod+enter" />
            </span>
          </Button>
        </div>
        <div className={styles.buildBar}>
          <span className={`dim ${styles.grow}`}>{describeOperation(operation)}</span>
          <SenderKey />
          <CopyMenu operation={operation} draft={draft} filled={check.filled} />
          <ActionButton
            label={t.save}
            size="compact-sm"
            {...saveKey}
            onClick={() => setDialog({ of: 'save' })}
          />
          <ActionButton
            icon="terminal"
            label={t.import}
            size="compact-sm"
            onClick={() => setDialog({ of: 'import', command: '' })}
          />
        </div>
        <div className={styles.buildPanes}>
          <section className={styles.buildSide} aria-label={strings.builder}>
            {problem !== null && <Failure>{problem}</Failure>}
            <RequestNotes
              operation={operation}
              again={again}
              prefill={prefill}
              draft={draft}
              onChange={change}
            />
            <RequestParts
              operation={operation}
              draft={draft}
              check={check}
              isExample={again !== null && !again.isSent}
              onChange={change}
              onRun={() => !check.cannotSend && form.submit()}
            />
            <Problem of={form.problem} />
          </section>
          <Splitter
            label={t.split}
            value={width}
            min={25}
            max={75}
            onChange={(request) => onLayout({ widths: { request: request * SCALE } })}
          />
          <ResponseView />
          <StoredRequests onPick={onPick} />
        </div>
      </form>
      {dialog?.of === 'environment' && <EnvironmentDialog edited={dialog.edited} onClose={closeDialog} />}
      {dialog?.of === 'import' && (
        <ImportDialog command={dialog.command} onClose={closeDialog} onPick={onPick} />
      )}
      {dialog?.of === 'save' && (
        <SaveRequest
          request={{ ...describeDraft(operation, draft), through, as: sender }}
          onClose={closeDialog}
        />
      )}
    </>
  )
}

const describeOperation = ({ summary, description, deprecated }: ApiOperation) =>
  `${summary}. ${description}${deprecated ? ` (${t.deprecated})` : ''}`

type CheckedRequest = {
  readonly filled: RequestDraft
  readonly faults: readonly JsonFault[]
  readonly missing: readonly string[]
  readonly headerError: string | undefined
  readonly cannotSend: boolean
}

/** Validates a draft. While the body is the one that was sent, the vault's own messages join in. */
function useChecked(operation: ApiOperation, draft: RequestDraft): CheckedRequest {
  const { through, response } = useBuilder()
  const schemas = useOperations((state) => state.schemas)
  // The selected environment affects the request.
  const { environments, environment } = useDrafts()
  // biome-ignore lint/correctness/useExhaustiveDependencies: `fillVariables` reads the environment
  return useMemo(() => {
    const checked = checkRequest(operation, draft, schemas, through)
    if (response === null || response.of !== draft) return checked
    const known = new Set(checked.faults.map(({ path }) => path))
    const refused = response.faults.filter(({ path }) => !known.has(path))
    return { ...checked, faults: [...checked.faults, ...refused] }
  }, [operation, draft, schemas, through, response, environments, environment])
}

function checkRequest(
  operation: ApiOperation,
  draft: RequestDraft,
  schemas: JsonObject,
  through: RequestSnapshot['through'],
): CheckedRequest {
  const filled = fillVariables(draft)
  const body = parseDraftBody(filled)
  const missing = operation.parameters
    .filter(({ name, required }) => required && (draft.params[name] ?? '') === '')
    .map(({ name }) => t.needs(name))
  const isUnread = operation.body !== null && body === undefined && draft.body.trim() !== ''
  const unread = { path: null, message: through === 'window' ? t.notJson : t.malformed }
  const faults = operation.body && body !== undefined ? checkBody(body, operation.body.schema, schemas) : []
  const [headerError] = findHeaderErrors(filled)
  return {
    filled,
    missing,
    faults: isUnread ? [unread] : faults,
    headerError,
    // The window sends parsed JSON; only the listener accepts malformed text.
    cannotSend: (isUnread && through === 'window') || headerError !== undefined,
  }
}

type RequestNotesProps = Pick<Props, 'operation' | 'again' | 'prefill'> & {
  readonly draft: RequestDraft
  readonly onChange: (part: Partial<RequestDraft>) => void
}

/** Says how far the form is the request that the log recorded, and what an import left out. */
function RequestNotes({ operation, again, prefill, draft, onChange }: RequestNotesProps) {
  const { body: example } = createRequestDraft(operation)
  return (
    <>
      {prefill && prefill.notes.length > 0 && <Caution>{prefill.notes.join(' ')}</Caution>}
      {again?.isSent && <p className="dim">{t.isSent(again.id)}</p>}
      {again && again.lost.length > 0 && (
        <Caution>
          {[t.again(again.id), ...again.lost.map((each) => t.lost[each])].join(' ')}
          {operation.body && draft.body === '' && (
            <ActionButton
              label={t.example}
              display="block"
              mt={6}
              size="compact-xs"
              onClick={() => onChange({ body: example })}
            />
          )}
        </Caution>
      )}
    </>
  )
}

type RequestPartsProps = {
  readonly operation: ApiOperation
  readonly draft: RequestDraft
  readonly check: CheckedRequest
  /** Whether the example may be shown instead of a body that the log lacks. */
  readonly isExample: boolean
  readonly onChange: (part: Partial<RequestDraft>) => void
  readonly onRun: () => void
}

/** Parameters, body and headers. */
function RequestParts({ operation, draft, check, isExample, onChange, onRun }: RequestPartsProps) {
  const { through } = useBuilder()
  const schemas = useOperations((state) => state.schemas)
  const hints = useHintContext()
  const schema = operation.body?.schema ?? {}
  return (
    <>
      {operation.parameters.length > 0 && (
        <div className={styles.parameters}>
          <Parameters operation={operation} draft={draft} hints={hints} onChange={onChange} />
        </div>
      )}
      {check.missing.length > 0 && (
        <Box component="ul" className="bullets" mt={4} c="var(--red-text)">
          {check.missing.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </Box>
      )}
      {operation.body && (
        <JsonEditor
          label={isExample && draft.body === createRequestDraft(operation).body ? t.exampleBody : t.body}
          value={draft.body}
          faults={check.faults}
          hints={createBodyHints({ ...hints, schema, schemas })}
          onChange={(body) => onChange({ body })}
          onRun={onRun}
        />
      )}
      {!operation.body && operation.parameters.length === 0 && <p className="faint">{t.nothing}</p>}
      {through === 'listener' && (
        <MonoArea
          label={t.moreHeaders}
          description={t.headersHelp(sentHeaders.join(', '))}
          placeholder="svc-idempotency-key: order-17"
          minRows={1}
          maxRows={4}
          value={draft.headers ?? ''}
          error={check.headerError}
          onChange={(event) => onChange({ headers: event.currentTarget.value })}
        />
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
