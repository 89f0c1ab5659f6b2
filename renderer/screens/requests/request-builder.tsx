import { useEffect } from 'react'
import type { FullLog } from '../../../shared/schemas/log.ts'
import type { ApiOperation } from '../../parts/api/api-document.ts'
import { useLoadedOperations } from '../../parts/api/operations.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { confirmLeave } from '../../parts/navigation/unsaved.ts'
import { Failure } from '../../ui/failure.tsx'
import { prefillRequest, useBuilder } from './builder-store.ts'
import { followDrafts, type StoredRequest, useDrafts } from './drafts-store.ts'
import { useFullRecord } from './full-record.ts'
import type { Address } from './import-curl.ts'
import { createRequestDraft } from './request-draft.ts'
import { type RepeatedRequest, RequestForm } from './request-form.tsx'
import { findResendDraft, reconstructRequest } from './resend.ts'

type Props = {
  readonly op: string | undefined
  /** The id of a record, to send its request again. */
  readonly again: string | undefined
  readonly onPick: (op: string) => void
}

/** Builds any request of the API: fill it in, validate it, send it, save it, or copy it as code. */
export function RequestBuilder({ op, again, onPick }: Props) {
  const { operations, problem } = useLoadedOperations()
  const { record, problem: recordProblem, isMissing } = useFullRecord(again ?? null)
  const { loaded, sent } = useDrafts()
  const { prefill } = useBuilder()
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
  /** Opens an operation, with parameters if its address was typed. Other ways to pick one have asked already. */
  function pickOperation(id: string, params?: Address['params'] | null): void {
    if (params === undefined) {
      onPick(id)
      return
    }
    confirmLeave(() => {
      const picked = operations.find((each) => each.id === id)
      if (picked && params) prefillRequest(id, { ...createRequestDraft(picked), params })
      else useBuilder.setState({ prefill: null })
      onPick(id)
    })
  }
  return (
    <RequestForm
      key={`${operation.id} ${ownPrefill ? ownPrefill.number : again}`}
      operation={operation}
      again={repeated}
      problem={isMissing ? recordProblem : null}
      prefill={ownPrefill}
      onPick={pickOperation}
    />
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
