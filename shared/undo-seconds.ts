/** How long a deletion of selected tokens can be undone, before anything is deleted. */
export const UNDO_SECONDS = 10
