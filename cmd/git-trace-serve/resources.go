package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/serve/web"
	"github.com/git-trace/git-trace/view"
)

// The address of a conversation as a resource is git-trace://conversation/ID, with ?cursor=N for the next part.
const (
	conversationScheme = "git-trace"
	conversationHost   = "conversation"
	conversationForm   = conversationScheme + "://" + conversationHost + "/{id}{?cursor}"
	listedResources    = 20 // the newest conversations; the others have an address, too
)

// offerConversations offers each conversation as a resource, and lists the newest ones.
func offerConversations(s *mcp.Server, a *answers) {
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "conversation", MIMEType: "text/plain", URITemplate: conversationForm,
		Description: "A conversation, or a prompt of it, as the tool show gives it." + byOthers,
	}, func(ctx context.Context, req *mcp.ReadResourceRequest) (_ *mcp.ReadResourceResult, err error) {
		defer fault.Caught(&err)
		asked, err := askConversation(req.Params.URI)
		if err != nil {
			return nil, err
		}
		text, err := a.ask(ctx, asked)
		if err != nil {
			return nil, err
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
			{URI: req.Params.URI, MIMEType: "text/plain", Text: text},
		}}, nil
	})
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, req)
			if list, is := result.(*mcp.ListResourcesResult); is && err == nil {
				list.Resources, err = a.conversations(ctx)
			}
			return result, err
		}
	})
}

// askConversation returns the request in an address.
func askConversation(address string) (asked, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != conversationScheme || u.Host != conversationHost {
		return asked{}, mcp.ResourceNotFoundError(address)
	}
	cursor := 0
	if text := u.Query().Get("cursor"); text != "" {
		if cursor, err = strconv.Atoi(text); err != nil {
			return asked{}, fmt.Errorf("the cursor %q is not a number", text)
		}
	}
	id := strings.TrimPrefix(u.Path, "/")
	return asked{args: []string{"show", "--no-color", id}, cursor: cursor}, plain(id)
}

// conversations lists the newest conversations as resources. Without a repository or without recording the list is
// empty: clients request it at every start.
func (a *answers) conversations(ctx context.Context) (_ []*mcp.Resource, err error) {
	defer fault.Caught(&err)
	out, err := a.output(ctx, "log", "--json", "-n", strconv.Itoa(listedResources))
	if errors.As(err, new(*web.Refusal)) || err == nil && out.Len() == 0 {
		return []*mcp.Resource{}, nil
	}
	if err != nil {
		return nil, err
	}
	var log struct {
		Conversations []view.Conversation `json:"conversations"`
	}
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		return nil, fmt.Errorf("read the log: %w", err)
	}
	list := make([]*mcp.Resource, 0, len(log.Conversations))
	for i := range log.Conversations {
		c := &log.Conversations[i]
		address := url.URL{Scheme: conversationScheme, Host: conversationHost, Path: "/" + string(c.Trace)}
		asked, last := "", ""
		if c.Prompt != nil {
			asked = c.Prompt.Text
		}
		if !c.Last.IsZero() {
			last = c.Last.Format(time.RFC3339Nano)
		}
		list = append(list, &mcp.Resource{
			URI: address.String(), MIMEType: "text/plain",
			Name:        cmp.Or(beginningOf(asked), string(c.Trace)),
			Description: strings.Join(append([]string{c.Agent}, c.Models...), " ") + ", " + last,
		})
	}
	return list, nil
}

// beginningOf returns the first words of a prompt, on one line.
func beginningOf(prompt string) string {
	const most = 80
	words := []rune(strings.Join(strings.Fields(prompt), " "))
	if len(words) > most {
		return string(words[:most-1]) + "…"
	}
	return string(words)
}
