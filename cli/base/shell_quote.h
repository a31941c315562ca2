/* Commands that a user may copy into a shell. */
#ifndef CLI_SHELL_H
#define CLI_SHELL_H

/* The word as a shell reads it back: as it is where it is plain, else in
 * single quotes; where some of it must not reach a terminal, as $'...' with
 * those bytes as octal numbers.  To be freed; NULL: no memory. */
char *shell_word(const char *word);

/* Prints the command that resumes a run; flag NULL: command is a built-in
 * problem. more: further flags, or "". */
void say_how_to_resume(const char *journal, const char *flag,
                       const char *command, const char *more);

#endif
