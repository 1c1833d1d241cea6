/** What `aur --help` prints. */
export const AUR_HELP = `aur: conversations with agents, under the published name

Usage: aur spawn --interactive [options]

Options:
  --agent <name>          which agent; with --list-sessions a filter
  --session <id>          a name of your own for the new conversation
  --resume <id>           go on with a conversation (the start of an id is enough, or: last)
  --list-sessions         list conversations, newest first (--agent, --status)
  --delete-session <id>   delete a conversation
  --clean-sessions <days> delete conversations without activity for so long

This aur belongs to Holdfast and knows conversations only. All options: aur spawn --help
The same under our own name: holdfast chat`;
