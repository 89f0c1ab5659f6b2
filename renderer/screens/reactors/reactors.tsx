import { Box } from '@mantine/core'
import type { ReactorObject } from '../../../shared/schemas/reactor.ts'
import { useActorName } from '../../parts/access/application-names.ts'
import { reactorList } from '../../parts/access/resource-lists.ts'
import { useIsOwner } from '../../parts/access/view-as.ts'
import { vault } from '../../parts/connection/vault.ts'
import { goTo, useRoute } from '../../parts/navigation/route.ts'
import { RunningOff } from '../../parts/reactors/running-off.tsx'
import { PanelTitle } from '../../parts/resource-screen/drawer-sections.tsx'
import { ResourceList, useResourceRows } from '../../parts/resource-screen/resource-list.tsx'
import { ResourceScreen } from '../../parts/resource-screen/resource-screen.tsx'
import { Empty } from '../../ui/empty.tsx'
import formStyles from '../../ui/form.module.css'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { Panel } from '../../ui/panel.tsx'
import screenStyles from '../../ui/screen.module.css'
import { CodeEditor } from '../../ui/text/editor/code-editor.tsx'
import { About } from './about.tsx'
import { gallery, type StartingPoint } from './gallery.ts'
import { createReactorColumns } from './reactor-columns.tsx'
import styles from './reactors.module.css'
import { strings as t } from './strings.ts'
import { Workbench } from './workbench.tsx'

const entries: readonly (readonly [string, StartingPoint])[] = Object.entries(gallery)

/** Reactors: where the owner writes and tests code. */
export function Reactors() {
  const isOwner = useIsOwner()
  return (
    <ResourceScreen
      screen="reactors"
      strings={t}
      permissions={reactorList.permissions}
      notice={
        isOwner && (
          <div className={screenStyles.noticeLine}>
            <RunningOff />
          </div>
        )
      }
      views={{
        reactors: <List isOwner={isOwner} />,
        gallery: (
          <div className={screenStyles.scroll}>
            <GalleryCards />
          </div>
        ),
      }}
    />
  )
}

function List({ isOwner }: { isOwner: boolean }) {
  const { query } = useRoute()
  const actor = useActorName()
  const list = useResourceRows('reactors', reactorList, {
    isFixed: true,
    getTexts: ({ id, name, code }) => [id, name, code],
  })
  // E (edit) opens the reactor, because its drawer is the edit form.
  useKeys({ e: () => list.gridProps.onOpen(list.gridProps.active) }, !list.isOpen)
  const start = entries.find(([name]) => name === query.new)?.[1]
  return (
    <ResourceList
      list={list}
      strings={t}
      columns={createReactorColumns(list.isOpen, actor)}
      openClass={styles.open}
      empty={!list.form && <NoReactors isOwner={isOwner} />}
      renderForm={(_, { onClose }) => (
        <Workbench key={query.new} reactor={null} start={start} onClose={onClose} onDelete={list.close} />
      )}
      renderDrawer={(reactor, { onClose, onDelete }) =>
        isOwner ? (
          <Workbench reactor={reactor} start={undefined} onClose={onClose} onDelete={onDelete} />
        ) : (
          <ReactorDrawer reactor={reactor} onClose={onClose} />
        )
      }
      onRemove={(id) => vault.reactors.remove({ id })}
    />
  )
}

function NoReactors({ isOwner }: { isOwner: boolean }) {
  return (
    <div className={styles.start}>
      <Empty
        icon="bolt"
        {...t.empty}
        action={
          isOwner && <ActionButton label={t.empty.first} onClick={goTo('reactors', null, { new: '1' })} />
        }
      />
      {isOwner && <GalleryCards />}
    </div>
  )
}

/** A read-only reactor, shown while the owner views the vault as an application. */
function ReactorDrawer({ reactor, onClose }: { reactor: ReactorObject; onClose: () => void }) {
  return (
    <Panel label={t.drawer.label} title={<PanelTitle icon="bolt" name={reactor.name} />} onClose={onClose}>
      <div className={formStyles.root}>
        <CodeEditor label={t.drawer.code} value={reactor.code} />
      </div>
      <About reactor={reactor} />
    </Panel>
  )
}

/** Sample reactors, with the permissions they need. */
function GalleryCards() {
  return (
    <section className={styles.gallery} aria-label={t.gallery.title}>
      <h2>{t.gallery.title}</h2>
      <p className="dim">{t.gallery.text}</p>
      <ul>
        {entries.map(([id, { name, text, needs }]) => (
          <li key={id}>
            <Box component="h3" fz={13}>
              {name}
            </Box>
            <Box component="p" className="dim" flex={1} fz={12}>
              {text}
            </Box>
            <div className={styles.galleryFoot}>
              <span className="faint">
                {needs.length > 0 ? t.gallery.needs(needs) : t.gallery.needsNothing}
              </span>
              <ActionButton
                label={t.gallery.use}
                size="compact-xs"
                aria-label={t.gallery.startWith(name)}
                onClick={goTo('reactors', null, { new: id })}
              />
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
