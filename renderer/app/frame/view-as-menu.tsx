import { Button, Menu, ScrollArea } from '@mantine/core'
import { useEffect } from 'react'
import { useApplications } from '../../parts/access/application-names.ts'
import { TypeChip } from '../../parts/access/type-chip.tsx'
import { useViewAs, viewAs } from '../../parts/access/view-as.ts'
import { showToast } from '../../parts/messages/toast.tsx'
import { useRoute } from '../../parts/navigation/route.ts'
import { screens } from '../../parts/navigation/screens.ts'
import { Icon } from '../../ui/icon.tsx'
import { MarkedText, markText } from '../../ui/text/marked-text.tsx'
import styles from './frame.module.css'
import { strings } from './strings.ts'

const t = strings.viewAs

/** Chooses whose view the window shows: the owner's, or exactly what an application's key would get. */
export function ViewAsMenu() {
  const { as } = useViewAs()
  const { rows: applications, loaded } = useApplications()
  return (
    <Menu position="bottom-end" width={280}>
      <Menu.Target>
        <button type="button" className={`${styles.barButton} ${styles.lookingButton}`}>
          <Icon name="eye" size={14} />
          <span className={`dim ${styles.barHide}`}>{t.label}</span>
          <strong className="clip">
            <MarkedText text={as?.name ?? t.owner} />
          </strong>
          <Icon name="down" size={14} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => viewAs(null)} rightSection={as === null && <Icon name="check" size={14} />}>
          {t.owner}
          <div className="faint">{t.ownerHelp}</div>
        </Menu.Item>
        <Menu.Divider />
        <ScrollArea.Autosize mah={320}>
          {!loaded && <Menu.Label>{t.loading}</Menu.Label>}
          {loaded && applications.length === 0 && <Menu.Label>{t.none}</Menu.Label>}
          {applications.map(({ id, name, type }) => (
            <Menu.Item
              key={id}
              onClick={() => viewAs({ id, name, type })}
              rightSection={id === as?.id ? <Icon name="check" size={14} /> : <TypeChip type={type} />}
            >
              <MarkedText text={name} />
            </Menu.Item>
          ))}
        </ScrollArea.Autosize>
      </Menu.Dropdown>
    </Menu>
  )
}

/** Names the application whose view the window shows, with a button to return to the view of the owner. */
export function ViewAsBanner({ id, name }: { id: string; name: string }) {
  const { screen } = useRoute()
  const isDeleted = useApplications(
    ({ rows, total, loaded }) => loaded && rows.length === total && rows.every((each) => each.id !== id),
  )
  useEffect(() => {
    if (!isDeleted) return
    useViewAs.setState({ as: null })
    showToast(t.deleted(name))
  }, [isDeleted, name])
  return (
    <div className={styles.lookingStrip} role="status">
      <Icon name="eye" size={14} />
      <span>
        <strong>{t.banner(markText(name))}.</strong> {screens[screen].viewAsNote}
      </span>
      <Button size="compact-xs" variant="light" color="amber" onClick={() => viewAs(null)}>
        {t.stop}
      </Button>
    </div>
  )
}
