import type { Application } from '../../../shared/schemas/application.ts'
import { loadApplications, useApplications } from '../../parts/access/application-names.ts'
import { NotFoundPanel } from '../../ui/not-found-panel.tsx'
import { ApplicationDrawer } from './application-drawer.tsx'
import { EditApplication } from './edit-application.tsx'
import { NewApplication } from './new-application.tsx'
import { strings } from './strings.ts'

const t = strings.drawer

type Props = {
  readonly id: string | null
  readonly mode: 'new' | 'edit' | 'drawer'
  readonly onClose: () => void
  /** Leaves a form; asks first if unsaved input would be lost. */
  readonly onCancel: () => void
  /** Leaves a saved form and opens this application's drawer. */
  readonly onLeave: (id: string | null) => Promise<void>
  readonly onEdit: () => void
  readonly onDelete: () => void
}

/** The panel next to the list: a form, or one application. */
export function ApplicationPanel({ id, mode, onClose, onCancel, onLeave, onEdit, onDelete }: Props) {
  const { rows: applications, loaded } = useApplications()
  const application = applications.find((each) => each.id === id)
  async function leaveForm(to: string | null) {
    await loadApplications()
    await onLeave(to)
  }
  if (mode === 'new') {
    return <NewApplication onClose={onCancel} onCreated={(created: Application) => leaveForm(created.id)} />
  }
  if (!application) {
    if (id === null || !loaded) return null
    return <NotFoundPanel label={t.label} text={t.gone} onClose={onClose} />
  }
  if (mode === 'edit') {
    return (
      <EditApplication
        key={application.id}
        application={application}
        onClose={onCancel}
        onSaved={() => leaveForm(id)}
      />
    )
  }
  return <ApplicationDrawer application={application} onClose={onClose} onEdit={onEdit} onDelete={onDelete} />
}
