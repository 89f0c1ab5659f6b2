import { useEffect, useState } from 'react'
import type { FullLog } from '../../../shared/schemas/log.ts'
import type { ApiOperation } from '../../parts/api/api-document.ts'
import { loadOperations, useOperations } from '../../parts/api/operations.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { Problem } from '../../parts/messages/problem.tsx'
import { confirmLeave } from '../../parts/navigation/unsaved.ts'
import { Failure } from '../../ui/failure.tsx'
import formStyles from '../../ui/form.module.css'
import { useBuilder } from './builder-store.ts'
import { followDrafts, type StoredRequest, useDrafts } from './drafts-store.ts'
import { useFullRecord } from './full-record.ts'
import { ImportDialog } from './import-dialog.tsx'
import { OperationPicker } from './operation-picker.tsx'
import { type RepeatedRequest, RequestForm } from './request-form.tsx'
import styles from './requests.module.css'
import { findResendDraft, reconstructRequest } from './resend.ts'
import { ResponseView } from './response-view.tsx'
import { strings } from './strings.ts'

type Props = {
  readonly op: string | undefined
  /** The id of a record, to send its request again. */
  readonly again: string | undefined
  readonly onPick: (op: string) => void
}

/** Builds any request of the API: fill it in, validate it, send it, save it, or copy it as code. */
export function RequestBuilder({ op, again, onPick }: Props) {
  const { operations } = useOperations()
  const { problem } = useLoaded(loadOperations)
  const { record, problem: recordProblem, isMissing } = useFullRecord(again ?? null)
  const { loaded, sent } = useDrafts()
  const { prefill } = useBuilder()
  const [importing, setImporting] = useState(false)
  useEffect(followDrafts, [])
  const operation =
    operations.find(({ id }) => id === op) ?? operations.find(({ id }) => id === 'tokens.create')
  if (problem !== null) return <Problem of={problem} />
  if (recordProblem !== null && !isMissing) return <Failure>{recordProblem}</Failure>
  const isWaiting = again !== undefined && !isMissing && (record === null || !loaded)
  if (!operation || isWaiting) return null
  // With `again`, an earlier prefill is ignored.
  const ownPrefill = again === undefined && prefill?.operation === operation.id ? prefill : null
  const repeated = ownPrefill ? null : findRepeated(operation, record, sent)
  function pickOperation(id: string): void {
    confirmLeave(() => {
      useBuilder.setState({ prefill: null })
      onPick(id)
    })
  }
  return (
    <div className={styles.build}>
      <section className={styles.buildSide} aria-label={strings.builder}>
        <div className={formStyles.root}>
          {isMissing && <Failure>{recordProblem}</Failure>}
          <OperationPicker operations={operations} value={operation} onPick={pickOperation} />
          <RequestForm
            key={`${operation.id} ${ownPrefill ? ownPrefill.number : again}`}
            operation={operation}
            again={repeated}
            prefill={ownPrefill}
            onImport={() => setImporting(true)}
          />
        </div>
      </section>
      <ResponseView onPick={onPick} />
      {importing && <ImportDialog onClose={() => setImporting(false)} onPick={onPick} />}
    </div>
  )
}

function findRepeated(
  operation: ApiOperation,
  record: FullLog | null,
  sent: readonly StoredRequest[],
): RepeatedRequest | null {
  if (record?.action !== operation.id) return null
  return { id: record.id, ...(findResendDraft(record, sent) ?? reconstructRequest(operation, record)) }
}
