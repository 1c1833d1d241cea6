/** What `aur --help` prints. */
export const AUR_HELP = `aur: conversations with agents, under the published name

Usage: aur spawn --interactive [options]   (-i for short)

Options:
  --agent <name>          which agent; with --list-sessions a filter
  --session <id>          a name of your own for the new conversation
  --resume [id]           continue a conversation (the start of an id is enough; none: the last of this project)
  --list-sessions         list conversations, most recently active first (--agent, --status, --limit)
  --delete-session <id>   move a conversation to the trash
  --clean-sessions <days> move conversations without activity for this many days to the trash

This aur belongs to Holdfast and knows conversations only. All options: aur spawn --help
The same under our own name: holdfast chat`;
