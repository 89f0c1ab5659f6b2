import { Stack } from '@mantine/core'
import { useState } from 'react'
import type { ApiOperation } from '../../parts/api/api-document.ts'
import { useOperations } from '../../parts/api/operations.ts'
import { LoadedView, useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { useAction } from '../../parts/forms/use-action.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { showToast } from '../../parts/messages/toast.tsx'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { MarkedSpan } from '../../ui/text/marked-span.tsx'
import { sendDraft } from './builder-store.ts'
import { loadSent } from './drafts-store.ts'
import { isProxiedCall } from './ledger-lines.ts'
import { formatRequestPath, type RequestDraft } from './request-draft.ts'
import styles from './requests.module.css'
import { findResendDraft, getResendHref, reconstructRequest } from './resend.ts'
import { strings } from './strings.ts'

const t = strings.chosen

type Props = { readonly ids: readonly string[]; readonly onClose: () => void }

/** A recorded request, or why it cannot be sent again. */
type Resendable = { readonly id: string; readonly name: string } & (
  | { readonly operation: ApiOperation; readonly draft: RequestDraft; readonly as: string | null }
  | { readonly reason: string; readonly href?: string | null }
)

/** Sends the requests of several records again, the oldest first, after listing them and those that are incomplete. */
export function ResendDialog({ ids, onClose }: Props) {
  const { operations } = useOperations()
  const loaded = useLoaded(() => readRequests(ids, operations), { about: ids.join() })
  const { runAction, problem, state } = useAction()
  const [sent, setSent] = useState(0)
  const sendAll = async (requests: readonly Resendable[]) => {
    const statuses: number[] = []
    for (const request of requests) {
      if ('reason' in request) continue
      statuses.push(await sendDraft(request.operation, request.draft, request.as))
      setSent(statuses.length)
    }
    showToast(t.sent(statuses.length, statuses.filter((status) => status >= 400).length))
    onClose()
  }
  return (
    <Dialog title={strings.drawer.again} onClose={onClose} size="lg">
      <LoadedView of={loaded} lines={6}>
        {(requests) => {
          const count = requests.filter((request) => 'draft' in request).length
          return (
            <Stack gap="sm">
              <p>{t.help(count, requests.length)}</p>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it */}
              <section className={styles.compare} aria-label={t.requests} tabIndex={0}>
                <ul className={styles.keptRequests}>
                  {requests.map((request) => (
                    <li key={request.id}>
                      <MarkedSpan className="mono clip" text={request.name} />
                      {'reason' in request && <span className="dim">{request.reason}</span>}
                      {'reason' in request && request.href && (
                        <LinkButton to={request.href} label={t.tryProxy} />
                      )}
                    </li>
                  ))}
                </ul>
              </section>
              <Problem of={problem} />
              <DialogButtons
                action={state === 'running' ? t.sending(sent, count) : t.send(count)}
                disabled={count === 0}
                loading={state === 'running'}
                onAction={() => runAction(() => sendAll(requests))}
                onCancel={onClose}
              />
            </Stack>
          )
        }}
      </LoadedView>
    </Dialog>
  )
}

/** Reads the records, and reconstructs their requests as far as the log and the vault recorded them. */
async function readRequests(
  ids: readonly string[],
  operations: readonly ApiOperation[],
): Promise<readonly Resendable[]> {
  const sent = await loadSent()
  const records = await Promise.all(ids.map((id) => vault.logs.get({ id })))
  return records
    .sort((a, b) => a.created_at.localeCompare(b.created_at))
    .map((record) => {
      const { id, action, method, path } = record
      const operation = operations.find((each) => each.id === action)
      const name = method === undefined ? action : `${method} ${path ?? action}`
      if (isProxiedCall(record))
        return { id, name, reason: t.proxied, href: getResendHref(record, operations) }
      if (!operation) return { id, name, reason: t.noOperation }
      const { draft, as, lost } = findResendDraft(record, sent) ?? reconstructRequest(operation, record)
      const [missing] = lost
      if (missing !== undefined) return { id, name, reason: t.lost[missing] }
      if (as === undefined) return { id, name, reason: t.lost.key }
      return { id, name: `${operation.method} ${formatRequestPath(operation, draft)}`, operation, draft, as }
    })
}
