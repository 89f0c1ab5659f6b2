import { Box } from '@mantine/core'
import { goTo } from '../../parts/navigation/route.ts'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { gallery, type StartingPoint } from './gallery.ts'
import styles from './reactors.module.css'
import { strings } from './strings.ts'

const t = strings.gallery
const entries: readonly (readonly [string, StartingPoint])[] = Object.entries(gallery)

/** Sample reactors, with the permissions they need. */
export function GalleryCards() {
  return (
    <section className={styles.gallery} aria-label={t.title}>
      <h2>{t.title}</h2>
      <p className="dim">{t.text}</p>
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
              <span className="faint">{needs.length > 0 ? t.needs(needs) : t.needsNothing}</span>
              <ActionButton
                label={t.use}
                size="compact-xs"
                aria-label={t.startWith(name)}
                onClick={goTo('reactors', null, { new: id })}
              />
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
