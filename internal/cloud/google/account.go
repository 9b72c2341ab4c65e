package google

import (
	"context"
	"os"
	"regexp"
	"strings"

	"google.golang.org/api/cloudresourcemanager/v3"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const opProject = "cloudresourcemanager.projects.get"

// The forms of a project (Resource Manager, "Creating and managing projects"):
// an id, in old organizations after their domain, or a number.
var (
	projectForm = regexp.MustCompile(`^([a-z0-9.-]+:)?[a-z][-a-z0-9]{4,28}[a-z0-9]$`)
	numberForm  = regexp.MustCompile(`^[0-9]{1,19}$`)
)

// project is one project by both of its names; what is not known is empty.
type project struct{ id, number string }

// AccountID implements cloud.Cloud: the account is the project's id.
func (c *Cloud) AccountID(ctx context.Context, account string) (string, error) {
	return c.project(ctx, account)
}

// project resolves an account to a project id; only a number is asked for.
func (c *Cloud) project(ctx context.Context, account string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if account == "" {
		var err error
		if account, err = c.defaultProject(ctx); err != nil {
			return "", err
		}
	}
	switch {
	case numberForm.MatchString(account):
		p, err := c.lookUp(ctx, account)
		return p.id, cloud.Misnamed(err)
	case projectForm.MatchString(account):
		return account, nil
	}
	return "", &cloud.Error{
		Code: cloud.Invalid, Message: "\"" + cloud.Clean(account) + "\" is not a project id such as my-project-123, nor a project number",
	}
}

// defaultProject is the configured one, else what the environment or the
// credentials say. The variables are those of Google's own Terraform provider
// that are meant for projects to work in.
func (c *Cloud) defaultProject(ctx context.Context) (string, error) {
	for _, name := range []string{c.cfg.Project, os.Getenv("GOOGLE_PROJECT"), os.Getenv("GOOGLE_CLOUD_PROJECT")} {
		if name != "" {
			return name, nil
		}
	}
	cl, err := c.clients(ctx)
	if err != nil {
		return "", err
	}
	if name := cl.credentials.project(ctx); name != "" {
		return name, nil
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return "", &cloud.Error{
		Code: cloud.Invalid, Message: "no project: name one, or set google.project in the provider block or GOOGLE_PROJECT",
	}
}

// lookUp asks Resource Manager for both names of a project. Neither ever changes.
func (c *Cloud) lookUp(ctx context.Context, name string) (project, error) {
	c.mu.Lock()
	p, ok := c.projects[name]
	c.mu.Unlock()
	if ok {
		return p, nil
	}
	cl, err := c.clients(ctx)
	if err != nil {
		return project{}, err
	}
	found, err := call(ctx, c, opProject, func(ctx context.Context) (*cloudresourcemanager.Project, error) {
		return cl.manager.Projects.Get("projects/" + name).Context(ctx).Do()
	})
	if err != nil {
		return project{}, err
	}
	p = project{id: found.ProjectId, number: strings.TrimPrefix(found.Name, "projects/")}
	if p.id == "" || !numberForm.MatchString(p.number) {
		return project{}, hollow(opProject, "projectId")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.projects[p.id], c.projects[p.number] = p, p
	return p, nil
}
