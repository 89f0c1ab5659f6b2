import './applications.css'
import { Button } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { readApplications, useApplications } from '../../parts/access/application-names.ts'
import { useLooking, useMay } from '../../parts/access/looking.ts'
import { LookingRefused } from '../../parts/access/looking-refused.tsx'
import { sentenceOf } from '../../parts/messages/sentence.ts'
import { toast } from '../../parts/messages/toast.tsx'
import { go, leaveFor, useRoute } from '../../parts/navigation/route.ts'
import { hrefOf } from '../../parts/navigation/route-text.ts'
import { leaving } from '../../parts/navigation/unsaved.ts'
import { followCounts } from '../../parts/tokens/counts-store.ts'
import { Empty } from '../../ui/empty.tsx'
import { Grid, type GridHandle } from '../../ui/grid/grid.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { copyText } from '../../ui/text/clipboard.ts'
import { NotLoaded } from '../../ui/waiting.tsx'
import { applicationColumns } from './application-columns.tsx'
import { ApplicationPanel } from './application-panel.tsx'
import { DeleteApplication } from './delete-application.tsx'
import { strings } from './strings.ts'
import { followKeyUses, useKeyUses } from './uses-store.ts'

const t = strings
/** The number of placeholder rows while loading. */
const WAITING = 6

/** The list of applications, and one of them beside it. */
export function Applications() {
  const { id, query } = useRoute()
  const { applications, total, loaded, problem } = useApplications()
  const { as } = useLooking()
  const mayRead = useMay('application:read')
  const uses = useKeyUses()
  const [activeId, setActive] = useState<string | null>(null)
  const [deleting, setDeleting] = useState(false)
  const grid = useRef<GridHandle>(null)
  useEffect(followCounts, [])
  useEffect(followKeyUses, [])

  const current = id ?? activeId
  const active = applications.findIndex((each) => each.id === current)
  const application = applications.find((each) => each.id === id)
  // Only the owner may change an application.
  const form = as === null && (query.new !== undefined || query.edit !== undefined)
  const create = () => as === null && go(hrefOf('applications', null, { new: '1' }))
  const edit = () => as === null && current !== null && go(hrefOf('applications', current, { edit: '1' }))

  const remove = () => setDeleting(as === null && application !== undefined)

  function show(index: number, open: boolean) {
    const row = applications[index]
    if (!row) return
    setActive(row.id)
    if (open) go(hrefOf('applications', row.id))
    else if (id !== null) go(hrefOf('applications', row.id), { replace: true })
  }
  function close() {
    setActive(id)
    go(hrefOf('applications'))
    grid.current?.focus()
  }

  /** Leaves a form for the drawer of an application or for the list, and returns the focus to the rows. */
  async function leaveForm(to: string | null) {
    await leaveFor(hrefOf('applications', to))
    grid.current?.focus()
  }
  const cancel = () => leaving(() => leaveForm(id))

  useKeys({ 'mod+n': create, n: create })
  useKeys({ escape: form ? cancel : close }, id !== null || form)
  useKeys(
    {
      e: edit,
      c: async () => {
        if (current === null) return
        await copyText(current)
        toast(strings.copied)
      },
      backspace: remove,
      delete: remove,
    },
    !form,
  )

  if (!mayRead) {
    return (
      <>
        <div className="screen-head screen-head-line">
          <h1>{t.title}</h1>
        </div>
        <LookingRefused permission="application:read" />
      </>
    )
  }
  return (
    <>
      <div className="screen-head screen-head-line">
        <h1>{t.title}</h1>
        <div className="screen-head-space" />
        {as === null && (
          <Button leftSection={<Icon name="plus" size={14} />} onClick={create}>
            {t.create}
          </Button>
        )}
      </div>
      <div className="split">
        {problem !== null && !loaded ? (
          <div className="list-failure">
            <NotLoaded why={sentenceOf(problem)} onRetry={readApplications} />
          </div>
        ) : loaded && applications.length === 0 ? (
          <Empty
            icon="app"
            title={t.empty.title}
            text={t.empty.text}
            action={<Button onClick={create}>{t.create}</Button>}
          />
        ) : (
          <Grid
            handle={grid}
            label={t.grid}
            columns={applicationColumns(uses, as === null)}
            count={loaded ? applications.length : WAITING}
            row={(index) => applications[index]}
            keyOf={(row) => row.id}
            active={active}
            onActive={(index) => show(index, false)}
            onOpen={(index) => show(index, true)}
          />
        )}
        <ApplicationPanel
          id={id}
          mode={form ? (query.new !== undefined ? 'new' : 'edit') : 'drawer'}
          onClose={close}
          onCancel={cancel}
          onLeave={leaveForm}
          onEdit={edit}
          onDelete={() => setDeleting(true)}
        />
      </div>
      <div className="screen-foot">
        <span role="status">{loaded && t.count(applications.length, total)}</span>
      </div>
      {deleting && application && (
        <DeleteApplication application={application} onDeleted={close} onClose={() => setDeleting(false)} />
      )}
    </>
  )
}
