/** How long the deletion of selected tokens can be undone before it starts. */
export const UNDO_SECONDS = 10
