import { ActionIcon, Box, TextInput } from '@mantine/core'
import { useState } from 'react'
import { DialogForm } from '../../parts/forms/form-dialog.tsx'
import { useForm } from '../../parts/forms/use-form.ts'
import { showFailureToast } from '../../parts/messages/toast.tsx'
import { confirmLeave } from '../../parts/navigation/unsaved.ts'
import { Choice } from '../../ui/fields/choice.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PanelSection } from '../../ui/panel.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { MarkedSpan } from '../../ui/text/marked-span.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { FaintTime } from '../../ui/time/faint-time.tsx'
import { prefillStored } from './builder-store.ts'
import { removeDraft, type StoredRequest, saveRequest, useDrafts } from './drafts-store.ts'
import { Verb } from './operation-picker.tsx'
import type { RequestSnapshot } from './request-snapshot.ts'
import styles from './requests.module.css'
import { strings } from './strings.ts'

const t = strings.stored
type SavedRequestsView = keyof typeof t.views

/** Requests that were sent or saved; a click fills the form with one. */
export function StoredRequests({ onPick }: { onPick: (op: string) => void }) {
  const [view, setView] = useState<SavedRequestsView>('sent')
  const { sent, saved, loaded } = useDrafts()
  const visible = view === 'sent' ? sent : saved
  const pickRequest = (stored: StoredRequest) =>
    confirmLeave(() => {
      prefillStored(stored)
      onPick(stored.operation)
    })
  return (
    <div className={styles.stored}>
      <PanelSection
        title={t.title}
        aside={<Choice label={t.title} size="xs" of={t.views} value={view} onChange={setView} />}
      >
        {loaded && visible.length === 0 && <p className="faint">{t.empty[view]}</p>}
        <ul className={styles.keptRequests}>
          {visible.map((stored) => (
            <li key={stored.id}>
              <button
                type="button"
                className={`unstyled ${styles.keptRequest}`}
                onClick={() => pickRequest(stored)}
              >
                {view === 'sent' && (
                  <Box component="span" miw={36}>
                    {stored.status !== undefined && <StatusChip status={stored.status} />}
                  </Box>
                )}
                {stored.name !== undefined && (
                  <strong className="clip">
                    <MarkedText text={stored.name} />
                  </strong>
                )}
                <Verb method={stored.method} />
                <MarkedSpan className="mono clip" text={stored.path} />
              </button>
              {view === 'sent' && <FaintTime at={stored.created_at} />}
              <ActionIcon
                aria-label={t.remove(stored.name ?? `${stored.method} ${stored.path}`)}
                onClick={() => removeDraft(stored.id).catch(showFailureToast)}
              >
                <Icon name="trash" size={13} />
              </ActionIcon>
            </li>
          ))}
        </ul>
        <p className="note">{t.help}</p>
      </PanelSection>
    </div>
  )
}

type Props = { readonly request: RequestSnapshot; readonly onClose: () => void }

export function SaveRequest({ request, onClose }: Props) {
  const { saved } = useDrafts()
  const form = useForm({
    initial: { name: '' },
    check: ({ name }) => (name.trim() === '' ? { name: strings.saving.needsName } : {}),
    send: ({ name }) => saveRequest({ ...request, name: name.trim() }),
    onDone: onClose,
  })
  const replaces = saved.some(({ name }) => name === form.values.name.trim())
  return (
    <DialogForm {...{ form, onClose }} title={strings.saving.title} action={strings.saving.save}>
      <TextInput
        label={strings.saving.name}
        description={replaces ? strings.saving.replaces : strings.saving.help}
        required
        data-autofocus
        maxLength={100}
        {...form.text('name')}
      />
    </DialogForm>
  )
}
