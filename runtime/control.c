// SPDX-License-Identifier: GPL-2.0
/*
 * control.c: the file kstats/_control. A command becomes a statement like those that kmeter generates, and from there all
 * is the same. Reading it lists what is measured, in the form of the commands that would do so.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "command.h"
#include "control.h"
#include "export.h"
#include "measure.h"

#define TRACEPOINT	"__tracepoint_"

/* A statement of our own, in one piece of memory with all that it points to. */
struct traced {
	struct kstats_statement statement;
	struct kstats_point points[2];
	char line[KS_COMMAND_MAX];	/* as written */
	char words[KS_COMMAND_MAX];	/* the same, taken apart; names of modules and symbols lie here */
	char texts[KS_COMMAND_MAX];	/* the same again, before `module:function` is cut in two */
};

static bool by_control(const struct kstats *k)
{
	return k->own_statement;
}

/* `module:function` in place. */
static void split_module(struct kstats_point *point, char *word)
{
	char *colon = strchr(word, ':');

	if (colon) {
		*colon = 0;
		point->module = word;
		word = colon + 1;
	}
	point->symbol = word;
}

static const char *text_of(const struct traced *t, const char *word)
{
	return t->texts + (word - t->words);
}

static void make_point(struct traced *t, struct kstats_point *point, enum kstats_role role, char *word)
{
	point->role = role;
	point->text = text_of(t, word);
	if (strstarts(word, TRACEPOINT)) {
		point->where = KSTATS_TRACEPOINT;
		point->symbol = word + strlen(TRACEPOINT);
	} else {
		point->where = KSTATS_FUNCTION;
		/* Nobody has looked at its arguments: only what leaves no frame is sure to be right. */
		point->thunk = point->role != KSTATS_CALL;
		split_module(point, word);
	}
}

static int trace(struct ks_command *c, struct traced *t)
{
	struct kstats_statement *s = &t->statement;
	struct kstats *k;
	int err;

	memcpy(t->texts, t->words, sizeof(t->texts));
	s->text = t->line;
	s->name = text_of(t, c->name);
	s->bits = c->bits;
	s->points = t->points;
	if (c->start) {
		s->npoints = 2;
		make_point(t, &t->points[0], KSTATS_FROM, c->start);
		make_point(t, &t->points[1], KSTATS_TO, c->end);
	} else {
		s->npoints = 1;
		make_point(t, &t->points[0], KSTATS_CALL, c->name);
	}
	k = ks_measure_new(s->name, s->bits, s, NULL);
	if (IS_ERR(k))
		return PTR_ERR(k);
	err = ks_measure_start(k);
	if (err)
		ks_measure_delete(k);
	else
		k->own_statement = true;	/* from here on it goes with k */
	return err;
}

static int remove(const struct ks_command *c)
{
	struct kstats *k = ks_measure_find(c->name);

	if (!k || !by_control(k)) {
		pr_warn("_control: %s: %s\n", c->name, k ? "was not made here: unload its module" : "no such measurement");
		return -EINVAL;
	}
	ks_measure_delete(k);
	return 0;
}

static ssize_t control_write(struct file *file, const char __user *from, size_t bytes, loff_t *pos)
{
	struct ks_command c;
	struct traced *t;
	int err = -EINVAL, i;

	if (bytes >= KS_COMMAND_MAX) {
		pr_warn("_control: a command is shorter than %d bytes\n", KS_COMMAND_MAX);
		return -EINVAL;
	}
	t = kzalloc(sizeof(*t), GFP_KERNEL);
	if (!t)
		return -ENOMEM;
	if (copy_from_user(t->words, from, bytes)) {
		err = -EFAULT;
		goto free;
	}
	if (strlen(t->words) != bytes) {
		pr_warn("_control: a command is text, without zero bytes\n");
		goto free;
	}
	strscpy(t->line, strim(t->words), sizeof(t->line));
	for (i = 0; t->line[i]; i++)	/* reports show it on one line */
		if (ks_command_blank(t->line[i]))
			t->line[i] = ' ';
	if (ks_command_parse(t->words, &c)) {
		pr_warn("_control: '%*pE': %s\n", (int)strlen(c.wrong), c.wrong, c.why);
		goto free;
	}

	mutex_lock(&ks_lock);
	if (c.verb == KS_COMMAND_TRACE) {
		err = trace(&c, t);
		if (!err)
			t = NULL;
		else if (err != -ENOMEM)
			err = -EINVAL;
	} else {
		err = remove(&c);
	}
	mutex_unlock(&ks_lock);
free:
	kfree(t);
	return err ?: bytes;
}

static int control_show(struct seq_file *m, void *v)
{
	struct kstats *k;

	mutex_lock(&ks_lock);
	list_for_each_entry(k, &ks_measures, link) {
		if (by_control(k))
			seq_printf(m, "%s\n", k->statement->text);
		else
			seq_printf(m, "# %s %s\n", k->name,
				   k->statement ? k->script->owner->name : "by hand");
	}
	mutex_unlock(&ks_lock);
	return 0;
}

static int control_open(struct inode *inode, struct file *file)
{
	return single_open(file, control_show, NULL);
}

static const struct file_operations control_ops = {
	.owner = THIS_MODULE,
	.open = control_open,
	.read = seq_read,
	.write = control_write,
	.llseek = seq_lseek,
	.release = single_release,
};

int ks_control_init(void)
{
	return PTR_ERR_OR_ZERO(debugfs_create_file_unsafe("_control", 0600, ks_export_dir(), NULL, &control_ops));
}

void ks_control_exit(void)
{
	struct kstats *k, *next;

	mutex_lock(&ks_lock);
	list_for_each_entry_safe(k, next, &ks_measures, link)
		ks_measure_delete(k);
	mutex_unlock(&ks_lock);
}
