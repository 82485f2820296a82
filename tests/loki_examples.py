"""The configuration in the documents of Loki, word for word."""

GLOBAL = """\
# config.yaml
auto_continue: true              # Enable auto-continuation globally
max_auto_continues: 15           # Allow up to 15 automatic continuations
inject_todo_instructions: true   # Include todo instructions in system prompt
continuation_prompt: null        # Use the built-in default (or set a custom string)
"""
ROLE = """\
---
auto_continue: true
max_auto_continues: 5
inject_todo_instructions: true
continuation_prompt: "Continue with the next task."
---
You are a helpful coding assistant.
"""
SESSION = """\
auto_continue: true
max_auto_continues: 10
inject_todo_instructions: true
continuation_prompt: null
"""
AGENT = """\
# agents/my-agent/config.yaml
model: openai:gpt-4o
auto_continue: true              # Enable auto-continuation
max_auto_continues: 15           # Allow up to 15 automatic continuations
inject_todo_instructions: true   # Include todo instructions in system prompt
continuation_prompt: |           # Optional: customize the continuation prompt
  [CONTINUE]
  You have unfinished tasks. Proceed with the next pending item.
  Do not explain; just execute.
"""
OLDER_AGENT = AGENT.replace("explain; just", "explain\u00e2\u20ac\u201djust")
SETTABLE = {
    "auto_continue": ("true", True),
    "max_auto_continues": ("20", 20),
    "inject_todo_instructions": ("false", False),
    "continuation_prompt": ("Keep going, please", "Keep going, please"),
    "temperature": ("0.5", 0.5),
    "top_p": ("0.9", 0.9),
    "enabled_tools": ("fs,web_search", ("fs", "web_search")),
    "enabled_mcp_servers": ("github", ("github",)),
    "save_session": ("false", False),
    "compression_threshold": ("4000", 4000),
    "max_output_tokens": ("4096", 4096),
    "dry_run": ("true", True),
    "function_calling_support": ("true", True),
    "mcp_server_support": ("false", False),
    "stream": ("false", False),
    "save": ("true", True),
    "highlight": ("false", False),
}
