import { ActionIcon, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { toastFailure } from '../../parts/messages/toast.tsx'
import { leaving } from '../../parts/navigation/unsaved.ts'
import { Icon } from '../../ui/icon.tsx'
import { Part } from '../../ui/panel.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { Time } from '../../ui/time/time.tsx'
import { beginKept } from './builder-store.ts'
import { type Kept, removeDraft, useDrafts } from './drafts-store.ts'
import { strings } from './strings.ts'

const t = strings.kept
const views = ['sent', 'saved'] as const
type View = (typeof views)[number]

/** The requests that were sent and those that were saved; a click fills the form with one. */
export function KeptRequests({ onPick }: { onPick: (op: string) => void }) {
  const [view, setView] = useState<View>('sent')
  const { sent, saved, loaded } = useDrafts()
  const shown = view === 'sent' ? sent : saved
  const pick = (kept: Kept) =>
    leaving(() => {
      beginKept(kept)
      onPick(kept.operation)
    })
  return (
    <Part
      title={t.title}
      aside={
        <SegmentedControl
          aria-label={t.title}
          size="xs"
          data={views.map((value) => ({ value, label: t.views[value] }))}
          value={view}
          onChange={setView}
        />
      }
    >
      {loaded && shown.length === 0 && <p className="faint">{t.empty[view]}</p>}
      <ul className="kept-requests">
        {shown.map((kept) => (
          <li key={kept.id}>
            <button type="button" className="unstyled kept-request" onClick={() => pick(kept)}>
              {kept.status !== undefined && <StatusChip status={kept.status} />}
              {kept.name !== undefined && (
                <strong className="clip">
                  <MarkedText text={kept.name} />
                </strong>
              )}
              <span className={`method method-${kept.method}`}>{kept.method}</span>
              <span className="mono clip">
                <MarkedText text={kept.path} />
              </span>
            </button>
            {view === 'sent' && (
              <span className="faint">
                <Time at={kept.created_at} />
              </span>
            )}
            <ActionIcon
              aria-label={t.remove(kept.name ?? `${kept.method} ${kept.path}`)}
              onClick={() => removeDraft(kept.id).catch(toastFailure)}
            >
              <Icon name="trash" size={13} />
            </ActionIcon>
          </li>
        ))}
      </ul>
      <p className="part-help">{t.help}</p>
    </Part>
  )
}
